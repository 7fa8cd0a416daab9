// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.limit.MemoryUse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When reports near a limit are written, with readings and a clock of the test's own. */
class NearLimitWatchTest {

    private static final Duration HOUR = Duration.ofHours(1);

    /** As System.nanoTime() may be: about to overflow. */
    private long now = Long.MAX_VALUE - HOUR.toNanos();

    private MemoryUse heap = MemoryUse.of("the heap", 0, 100);
    private MemoryUse group = MemoryUse.of("the container", 0, 100);
    private RuntimeException broken;
    private Throwable failure;
    private String noRoom;
    private final List<String> reports = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final NearLimitWatch.LastReport last = new NearLimitWatch.LastReport();
    private final Reports report = new Reports();
    private NearLimitWatch watch = watch();

    private NearLimitWatch watch() {
        NearLimitWatch.Sources sources =
                new NearLimitWatch.Sources() {
                    @Override
                    public MemoryUse heap(double share) {
                        assertThat(share).isEqualTo(0.9);
                        if (broken != null) {
                            throw broken;
                        }
                        return heap;
                    }

                    @Override
                    public MemoryUse group() {
                        return group;
                    }

                    @Override
                    public long getAsLong() {
                        return now;
                    }
                };
        NearLimit wanted = new NearLimit(0.9, Path.of("/tmp/near.txt"));
        return new NearLimitWatch(wanted, sources, last, report, warnings::add);
    }

    private final class Reports implements NearLimitWatch.Report {

        @Override
        public String whyNot(MemoryUse ofHeap) {
            return noRoom;
        }

        @Override
        public void write(MemoryUse passed, MemoryUse ofHeap, MemoryUse ofGroup)
                throws IOException {
            if (failure instanceof IOException e) {
                throw e;
            }
            if (failure instanceof Error e) {
                throw e;
            }
            reports.add(passed.what() + " " + passed.used());
            assertThat(ofHeap).isSameAs(heap);
            assertThat(ofGroup).isSameAs(group);
        }
    }

    private void look(int ofHeap, int ofGroup) {
        heap = MemoryUse.of("the heap", ofHeap, 100);
        group = MemoryUse.of("the container", ofGroup, 100);
        watch.look();
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private List<String> takeReports() {
        List<String> taken = List.copyOf(reports);
        reports.clear();
        return taken;
    }

    @Test
    void eachLimitIsReportedOnceAndAnHourApart() {
        look(89, 89);
        assertThat(takeReports()).isEmpty();
        look(91, 89);
        assertThat(takeReports()).containsExactly("the heap 91");
        look(92, 91);
        assertThat(takeReports()).as("within the hour").isEmpty();
        pass(HOUR);
        look(93, 92);
        assertThat(takeReports()).containsExactly("the container 92");
        pass(HOUR);
        look(99, 99);
        assertThat(takeReports()).as("both were reported").isEmpty();
        look(80, 99);
        look(95, 99);
        assertThat(takeReports()).containsExactly("the heap 95");
    }

    @Test
    void aPassThatIsOverWithinTheHourIsNotReportedLater() {
        look(91, 0);
        look(80, 0);
        look(95, 0);
        assertThat(takeReports()).containsExactly("the heap 91");
        look(80, 0);
        pass(HOUR);
        look(80, 0);
        assertThat(takeReports()).isEmpty();
    }

    @Test
    void bothAtOnceAreOneReport() {
        look(91, 95);
        assertThat(takeReports()).containsExactly("the heap 91");
        pass(HOUR);
        look(91, 95);
        assertThat(takeReports()).isEmpty();
    }

    /** A service that hovers at the limit for two weeks. */
    @Test
    void weeksAtTheLimitAreOneReport() {
        for (int second = 0; second < 14 * 86_400; second++) {
            look(87 + second % 7, 0);
            pass(Duration.ofSeconds(1));
        }
        assertThat(takeReports()).containsExactly("the heap 90");
    }

    /** One that falls and rises each minute. */
    @Test
    void thereIsAtMostOneReportAnHour() {
        for (int second = 0; second < 86_400; second++) {
            look(second % 60 < 30 ? 95 : 50, 0);
            pass(Duration.ofSeconds(1));
        }
        assertThat(takeReports()).hasSize(24);
    }

    @Test
    void anotherWatchKeepsTheHourOfTheOneBefore() {
        look(95, 0);
        assertThat(takeReports()).hasSize(1);
        watch = watch();
        pass(HOUR.minusNanos(1));
        look(95, 0);
        assertThat(takeReports()).isEmpty();
        pass(Duration.ofNanos(1));
        look(95, 0);
        assertThat(takeReports()).hasSize(1);
    }

    @Test
    void limitsMayBeMissing() {
        heap = null;
        group = null;
        watch.look();
        group = MemoryUse.of("the container", 95, 100);
        watch.look();
        assertThat(takeReports()).containsExactly("the container 95");
    }

    @Test
    void aReportThatFailsIsOneWarningAndIsTriedAgainAfterAnHour() {
        failure = new IOException("No space left on device");
        for (int hour = 0; hour < 3; hour++) {
            look(95, 0);
            look(95, 0);
            pass(HOUR);
        }
        assertThat(warnings)
                .containsExactly(
                        "No report near the memory limit could be written to /tmp/near.txt:"
                                + " java.io.IOException: No space left on device. It is tried again"
                                + " after an hour, if memory is still short.");
        failure = null;
        look(95, 0);
        assertThat(takeReports()).containsExactly("the heap 95");
        look(50, 0);
        pass(HOUR);
        failure = new OutOfMemoryError("Java heap space");
        look(95, 0);
        assertThat(warnings).hasSize(2);
    }

    /** The next collection may make room. */
    @Test
    void withoutRoomThereIsOneWarningAndEachLookTriesAgain() {
        noRoom = "There is no room.";
        look(95, 0);
        look(95, 0);
        assertThat(warnings)
                .containsExactly(
                        "No report near the memory limit could be written to /tmp/near.txt: There"
                                + " is no room. It is tried again each second.");
        noRoom = null;
        look(95, 0);
        assertThat(takeReports()).containsExactly("the heap 95");
    }

    @Test
    void whatCannotBeReadHarmsNothing() {
        broken = new IllegalStateException("no bean");
        for (int i = 0; i < 10; i++) {
            look(95, 95);
        }
        assertThat(warnings)
                .containsExactly(
                        "No report near the memory limit could be written to /tmp/near.txt:"
                                + " java.lang.IllegalStateException: no bean. It is tried again"
                                + " each second.");
        broken = null;
        look(95, 0);
        assertThat(takeReports()).hasSize(1);
    }

    /** Otherwise the reason why the report is missing would stay unknown. */
    @Test
    void aReportThatFailsAfterThereWasNoRoomIsAWarningOfItsOwn() {
        noRoom = "There is no room.";
        look(95, 0);
        noRoom = null;
        failure = new IOException("It is a link.");
        look(95, 0);
        assertThat(warnings)
                .hasSize(2)
                .last()
                .isEqualTo(
                        "No report near the memory limit could be written to /tmp/near.txt:"
                                + " java.io.IOException: It is a link. It is tried again after an"
                                + " hour, if memory is still short.");
    }

    /** Nor the words for it. */
    @Test
    void anErrorThatLeavesNoMemoryForItsWordsEndsNoWatch() {
        failure =
                new Error("no memory") { // JUnit gives up after an OutOfMemoryError
                    @Override
                    public String toString() {
                        if (failure == this) {
                            failure = null;
                            throw new InternalError("not even this");
                        }
                        return "no memory";
                    }
                };
        look(95, 0);
        assertThat(failure).isNull();
        pass(HOUR);
        look(95, 0);
        assertThat(takeReports()).containsExactly("the heap 95");
    }

    /** Else a full heap would end the thread that waits. */
    @Test
    void waitingAllocatesNothing() {
        assertThat(watch.endsWithin(1)).isFalse();
        long before = FakeEngine.allocated();
        long after = FakeEngine.allocated();
        long ofCounting = after - before;
        before = FakeEngine.allocated();
        boolean hasEnded = watch.endsWithin(1);
        after = FakeEngine.allocated();
        assertThat(after - before).isLessThanOrEqualTo(ofCounting);
        assertThat(hasEnded).isFalse();
        watch.end();
        assertThat(watch.endsWithin(20_000)).isTrue();
    }

    @Test
    void anInterruptEndsNoWatchAndTheEndDoesNotWait() throws Exception {
        Thread thread = new Thread(watch);
        thread.start();
        thread.interrupt();
        thread.join(50);
        assertThat(thread.isAlive()).isTrue();
        watch.end();
        thread.join(20_000);
        assertThat(thread.isAlive()).isFalse();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import static io.heapsampler.doctor.Samples.MIB;
import static io.heapsampler.doctor.Samples.collection;
import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.doctor.Samples;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.History;
import io.heapsampler.doctor.internal.timeline.JvmEvent;
import io.heapsampler.doctor.internal.timeline.JvmSettings;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.doctor.internal.timeline.VmClock;
import java.rmi.Remote;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Flight Recorder is open for a short time after several calls of {@code System.gc()}. */
class CallerWatchTest {

    private final History history = new History();
    private CallerWatch watch = new CallerWatch(history, new VmClock(), Samples.settings());

    @BeforeEach
    void onlyWhereThereIsOne() {
        assumeThat(ModuleLayer.boot().findModule("jdk.jfr")).isPresent();
        watch.seen(tick(0, 0, 0, 0, 500));
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private static Tick tick(long at, long metaspace, long classes, long direct, long resident) {
        return tick(at, metaspace, classes, direct, resident, 0);
    }

    private static Tick tick(
            long at, long metaspace, long classes, long direct, long resident, long heap) {
        return new Tick(
                at,
                0,
                0,
                heap,
                0,
                0,
                metaspace,
                classes,
                0,
                direct,
                1,
                resident * MIB,
                400 * MIB,
                0,
                0,
                10 * MIB,
                -1,
                -1,
                0);
    }

    private void call(String cause, long... times) {
        for (long at : times) {
            watch.heard(collection(at, 5, CollectionKind.FULL_PAUSE, cause));
        }
    }

    private boolean isOpenAt(long millis) {
        watch.look(millis);
        return watch.isOpen();
    }

    @Test
    void theThirdCallOpensIt() {
        call("System.gc()", 1_000, 2_000);
        assertThat(isOpenAt(2_500)).isFalse();
        call("System.gc()", 3_000);

        assertThat(isOpenAt(3_500)).isTrue();
        assertThat(watch.problem()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"Allocation Failure, 1", "System.gc(), 600000", "Diagnostic Command, 1"})
    void otherAndRareCollectionsDoNot(String cause, long apart) {
        call(cause, 0, apart, 2 * apart);

        assertThat(isOpenAt(2 * apart + 1)).isFalse();
    }

    @Test
    void callsForDirectBuffersDoNot() {
        watch.seen(tick(0, 0, 0, 129 * MIB, 500));
        call("System.gc()", 1, 2, 3);

        assertThat(isOpenAt(4)).isFalse();
    }

    @Test
    void callsOfRmiDoNot() throws Exception {
        Remote service = new Remote() {};
        UnicastRemoteObject.exportObject(service, 0);
        try {
            call("System.gc()", 1, 2, 3);

            assertThat(isOpenAt(4)).isFalse();
        } finally {
            UnicastRemoteObject.unexportObject(service, true);
            until("RMI's thread has ended", () -> !RmiDaemon.exists()); // Others look for it too.
        }
    }

    @Test
    void itIsOpenForHalfAMinuteInAnHour() {
        call("System.gc()", 1, 2, 3);
        assertThat(isOpenAt(10)).isTrue();
        assertThat(isOpenAt(10 + CallerWatch.OPEN_MILLIS - 1)).isTrue();
        assertThat(isOpenAt(10 + CallerWatch.OPEN_MILLIS)).isFalse();
        long later = 10 + CallerWatch.PAUSE_MILLIS;
        call("System.gc()", later - 30, later - 20, later - 10);

        assertThat(isOpenAt(later - 1)).isFalse();
        assertThat(isOpenAt(later)).isTrue();
    }

    /** With their stacks, and three are enough. */
    @Test
    void itNamesCallersAndCloses() throws Exception {
        call("System.gc()", 1, 2, 3);
        assertThat(isOpenAt(10)).isTrue();
        until(
                "three callers",
                () -> {
                    System.gc();
                    return !isOpenAt(11);
                });

        List<JvmEvent> events = history.timeline(Samples.settings(), List.of(), 0).events();
        assertThat(events).hasSizeGreaterThanOrEqualTo(3);
        assertThat(events.get(0).type()).isEqualTo("SystemGC");
        assertThat(events.get(0).stack())
                .anyMatch(frame -> frame.startsWith("java.lang.System.gc:"))
                .anyMatch(frame -> frame.startsWith(CallerWatchTest.class.getName() + "."));
    }

    /** An application whose main method returns is to end, whatever is recorded then. */
    @Test
    void nothingThatListensKeepsTheJvmFromEnding() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        call("System.gc()", 1, 2, 3);
        assertThat(isOpenAt(10)).isTrue();
        until("it is listened", () -> newThreads(before).anyMatch(CallerWatchTest::listens));

        assertThat(newThreads(before)).allMatch(Thread::isDaemon);
    }

    private static Stream<Thread> newThreads(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream().filter(it -> !before.contains(it));
    }

    private static boolean listens(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(it -> it.getClassName().startsWith("jdk.jfr.internal.consumer."));
    }

    @Test
    void itStaysClosedWhileClassesAreLoaded() {
        call("System.gc()", 1, 2, 3);
        watch.seen(tick(1_000, 0, 301, 0, 500));
        assertThat(isOpenAt(1_000)).isFalse();
        watch.seen(tick(11_000, 0, 500, 0, 500));
        assertThat(isOpenAt(11_000)).isTrue();
        watch.seen(tick(12_000, 0, 1_500, 0, 500)); // Those of Flight Recorder itself.
        watch.seen(tick(13_000, 0, 1_600, 0, 500));

        assertThat(isOpenAt(13_000)).isTrue();
    }

    @Test
    void itStaysClosedWhereMetaspaceIsNearlyFull() {
        JvmSettings plain = Samples.settings();
        JvmSettings limited =
                new JvmSettings(
                        17, plain.collector(), MIB, MIB, -1, MIB, 56 * MIB, MIB, plain.flags());
        watch = new CallerWatch(history, new VmClock(), limited);
        watch.seen(tick(0, 25 * MIB, 0, 0, 500));
        call("System.gc()", 1, 2, 3);
        assertThat(isOpenAt(4)).isFalse();
        watch.seen(tick(1, 24 * MIB, 0, 0, 500));

        assertThat(isOpenAt(5)).isTrue();
    }

    @Test
    void itIsClosedForGoodIfTheProcessGrows() {
        call("System.gc()", 1, 2, 3);
        assertThat(isOpenAt(10)).isTrue();
        watch.seen(tick(1_000, 0, 0, 0, 524));
        assertThat(isOpenAt(1_000)).isTrue();
        watch.seen(tick(2_000, 0, 0, 0, 525));
        assertThat(isOpenAt(2_000)).isFalse();
        call("System.gc()", 4_000_000, 4_000_001, 4_000_002);

        assertThat(isOpenAt(4_000_003)).isFalse();
        assertThat(watch.problem()).contains("grew by 25 MiB");
    }

    /** Pages of the heap that were never used are no growth when they are, up to 40 MiB. */
    @Test
    void objectsInAHeapWithRoomAreNoGrowth() {
        watch.seen(tick(0, 0, 0, 0, 500, 30 * MIB));
        call("System.gc()", 1, 2, 3);
        assertThat(isOpenAt(10)).isTrue();
        watch.seen(tick(1_000, 0, 0, 0, 554, 30 * MIB));
        assertThat(isOpenAt(1_000)).isTrue();
        watch.seen(tick(2_000, 0, 0, 0, 555, 30 * MIB));
        assertThat(isOpenAt(2_000)).isFalse();
    }

    /** Where there is no /proc, nothing can bound it. */
    @Test
    void itStaysClosedWhereTheProcessCannotBeMeasured() {
        watch.seen(new Tick(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 400 * MIB, 0, 0, -1, -1, -1, 0));
        call("System.gc()", 1, 2, 3);

        assertThat(isOpenAt(4)).isFalse();
        assertThat(watch.problem()).contains("not known");
    }

    /** A class of an application may have a name of 64 KiB. */
    @Test
    void aLongNameIsCut() {
        assertThat(RecorderEvents.text("shop.Cart", "fill", 12)).isEqualTo("shop.Cart.fill:12");
        assertThat(RecorderEvents.text("shop.Cart", "fill", -1)).isEqualTo("shop.Cart.fill");
        assertThat(RecorderEvents.text("x".repeat(60_000), "fill", 12)).hasSizeLessThan(600);
    }
}

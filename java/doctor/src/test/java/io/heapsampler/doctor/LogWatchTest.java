// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Samples.MIB;
import static io.heapsampler.doctor.Samples.collection;
import static io.heapsampler.doctor.Samples.pause;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JVM's log is open while something looks wrong, and only then. */
class LogWatchTest {

    private final LogWatch watch = watching(Samples.settings());

    private static LogWatch watching(JvmSettings settings) {
        ManagementFactory.getPlatformMBeanServer();
        return watching(settings, true);
    }

    private static LogWatch watching(JvmSettings settings, boolean mayLog) {
        return new LogWatch(new History(), new VmClock(), settings, 200, mayLog);
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private boolean isOpenAt(long millis) {
        watch.look(millis);
        return watch.isOpen();
    }

    @Test
    void aHealthyApplicationIsNotRecorded() {
        watch.heard(pause(1_000, 30));
        watch.heard(collection(1_000, 900, CollectionKind.OLD_CYCLE, "Proactive"));
        watch.heard(collection(1_000, 20, CollectionKind.YOUNG_PAUSE, "Metadata GC Threshold"));
        watch.heard(collection(1_000, 20, CollectionKind.YOUNG_PAUSE, "System.gc()"));
        watch.seen(Samples.tick(1_000));

        assertThat(isOpenAt(1_000)).isFalse();
        assertThat(watch.notes()).isEmpty();
    }

    @Test
    void itIsRecordedForFiveMinutesAfterTheLastSign() {
        watch.heard(collection(1_000, 5, CollectionKind.FULL_PAUSE, "System.gc()"));

        assertThat(isOpenAt(2_000)).isTrue();
        assertThat(isOpenAt(1_000 + LogWatch.OPEN_MILLIS - 1)).isTrue();
        assertThat(isOpenAt(1_000 + LogWatch.OPEN_MILLIS)).isFalse();
        watch.heard(collection(400_000, 5, CollectionKind.FULL_PAUSE, "Allocation Failure"));
        assertThat(isOpenAt(401_000)).isTrue();
        watch.close();
        assertThat(isOpenAt(402_000)).isFalse();
    }

    @Test
    void eachSignCounts() {
        List<GcEvent> signs =
                List.of(
                        collection(0, 5, CollectionKind.DEGENERATED_PAUSE, "Allocation Failure"),
                        collection(0, 5, CollectionKind.OLD_CYCLE, "Allocation Stall"),
                        collection(0, 0, CollectionKind.YOUNG_PAUSE, "GCLocker Initiated GC"),
                        pause(0, 101));
        for (GcEvent sign : signs) {
            try (LogWatch own = watching(Samples.settings())) {
                own.heard(sign);
                own.look(1_000);
                assertThat(own.isOpen()).as("%s", sign).isTrue();
            }
        }
    }

    /** However long it takes: a heap dump, a histogram and jcmd GC.run are no sign. */
    @ParameterizedTest
    @CsvSource({
        "Heap Dump Initiated GC, false",
        "Heap Inspection Initiated GC, false",
        "Diagnostic Command, false",
        "JvmtiEnv ForceGarbageCollection, false",
        "Allocation Failure, true",
        "Ergonomics, true"
    })
    void collectionsRequestedByToolsAreNoSign(String cause, boolean isSign) {
        watch.heard(collection(1_000, 900, CollectionKind.FULL_PAUSE, cause));

        assertThat(isOpenAt(2_000)).isEqualTo(isSign);
    }

    private static Tick using(long metaspace) {
        return new Tick(0, 0, 0, 0, 0, 0, metaspace, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 0);
    }

    @Test
    void itIsNotOpenedWhereMetaspaceIsNearlyFull() {
        JvmSettings plain = Samples.settings();
        JvmSettings limited =
                new JvmSettings(
                        17, plain.collector(), MIB, MIB, -1, MIB, 28 * MIB, MIB, plain.flags());
        try (LogWatch own = watching(limited)) {
            own.heard(collection(0, 5, CollectionKind.FULL_PAUSE, "Metadata GC Threshold"));
            own.seen(using(25 * MIB));
            own.look(1);
            assertThat(own.isOpen()).isFalse();
            own.seen(using(24 * MIB));
            own.look(1);
            assertThat(own.isOpen()).isTrue();
        }
    }

    @Test
    void itIsNotOpenedIfThatIsForbidden() {
        try (LogWatch forbidden = watching(Samples.settings(), false)) {
            forbidden.heard(collection(1_000, 5, CollectionKind.FULL_PAUSE, "System.gc()"));
            forbidden.look(2_000);

            assertThat(forbidden.isOpen()).isFalse();
        }
    }
}

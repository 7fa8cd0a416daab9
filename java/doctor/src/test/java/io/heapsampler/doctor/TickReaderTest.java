// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.acme.Allocations;
import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.RecordingOptions;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class TickReaderTest {

    private static final int ROUNDS = 4;
    private static final long SOME = 24 * Samples.MIB;

    private final VmClock clock = new VmClock();
    private final long[] row = new long[Tick.FIELDS];

    private TickReader reader() {
        HotSpotDiagnosticMXBean vm =
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        return new TickReader(clock, Long.parseLong(vm.getVMOption("MaxHeapSize").getValue()));
    }

    private Tick read(TickReader reader) {
        reader.read(row);
        return Tick.of(row);
    }

    @Test
    void aTickIsTheStateOfThisJvm() {
        try (TickReader reader = reader()) {
            Tick before = read(reader);
            ByteBuffer direct = ByteBuffer.allocateDirect(4 << 20);
            byte[] garbage = new byte[8 << 20];
            Tick tick = read(reader);

            assertThat(garbage.length + direct.capacity()).isEqualTo(12 << 20);
            assertThat(tick.atMillis()).isGreaterThanOrEqualTo(before.atMillis());
            assertThat(Math.abs(tick.atMillis() - System.currentTimeMillis())).isLessThan(60_000);
            assertThat(tick.allocated() - before.allocated()).isGreaterThanOrEqualTo(8 << 20);
            assertThat(tick.directUsed() - before.directUsed()).isGreaterThanOrEqualTo(4 << 20);
            assertThat(tick.directCount()).isGreaterThan(before.directCount());
            assertThat(tick.heapUsed()).isPositive();
            assertThat(tick.heapCommitted()).isGreaterThanOrEqualTo(tick.oldUsed());
            assertThat(tick.oldUsed()).isNotNegative();
            assertThat(tick.metaspaceUsed()).isBetween(1L, tick.metaspaceCommitted());
            assertThat(tick.classesLoaded()).isGreaterThan(500);
            assertThat(tick.resident()).isGreaterThan(10 * Samples.MIB);
            assertThat(tick.accounted()).isGreaterThan(tick.heapCommitted() + tick.directUsed());
        }
    }

    /** Other pools may grow meanwhile, and hardly ever shrink. */
    @Test
    void whatTheSamplerHoldsIsAccountedFor() {
        HeapSampler.reset();
        List<byte[]> kept = new ArrayList<>();
        try (TickReader reader = reader()) {
            long own = HeapSampler.status().memoryUsed();
            Tick before = read(reader);
            HeapSampler.start();
            try (HeapRecording all =
                    HeapSampler.record(RecordingOptions.builder().interval(0).build())) {
                for (int i = 0; i < 50_000; i++) {
                    kept.add(Allocations.bytes(16));
                }
                Tick after = read(reader);
                long grown = HeapSampler.status().memoryUsed() - own;

                assertThat(all.isOpen()).isTrue();
                assertThat(grown).isGreaterThan(Samples.MIB);
                assertThat(elsewhere(after) - elsewhere(before))
                        .isGreaterThanOrEqualTo(grown - Samples.MIB / 2);
            }
        } finally {
            HeapSampler.stop();
            HeapSampler.reset();
        }
    }

    private static long elsewhere(Tick tick) {
        return tick.accounted() - tick.heapCommitted() - tick.directUsed();
    }

    /** Returns the first that is measured, which none is while the heap grows or shrinks. */
    private long unaccounted() {
        long bytes = Tick.UNMEASURED;
        for (int i = 0; i < 100 && bytes == Tick.UNMEASURED; i++) {
            try (TickReader reader = reader()) {
                bytes = read(reader).unaccounted();
            }
        }
        return bytes;
    }

    /**
     * Returns by how much unaccounted memory grows with the code: in the first round that is right,
     * or in the last. The rest of the JVM takes memory now and then, or gives some back while it is
     * being measured; a wrong account is wrong in each round.
     */
    private long growth(Runnable code, LongPredicate isRight) {
        long growth = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long before = unaccounted();
            code.run();
            growth = unaccounted() - before;
            if (isRight.test(growth)) {
                break;
            }
        }
        return growth;
    }

    private static List<byte[]> megabytes(int count) {
        return Stream.generate(() -> new byte[1 << 20]).limit(count).toList();
    }

    @Test
    void theHeapIsAccountedFor() {
        assumeThat(unaccounted()).isNotEqualTo(Tick.UNMEASURED); // Linux
        List<List<byte[]>> kept = new ArrayList<>();
        Runnable keep = () -> kept.add(megabytes(64));

        assertThat(growth(keep, each -> each < SOME)).isLessThan(SOME);
        assertThat(kept).isNotEmpty();
    }

    /** G1 gives memory back beside the application, for longer than a look takes. */
    @Test
    void aHeapThatShrinksMeanwhileIsNotTakenForOtherMemory() {
        assumeThat(unaccounted()).isNotEqualTo(Tick.UNMEASURED);
        long most = Long.MIN_VALUE;
        assertThat(megabytes(256)).isNotEmpty();
        System.gc();
        for (int i = 0; i < 50; i++) {
            most = Math.max(most, unaccounted());
        }

        assertThat(most - unaccounted()).isLessThan(SOME);
    }

    /** zlib takes about 85 KiB for each. */
    @Test
    void nativeMemoryIsNotAccountedFor() {
        assumeThat(unaccounted()).isNotEqualTo(Tick.UNMEASURED);
        byte[] input = new byte[1 << 20];
        List<Deflater> open = new ArrayList<>();
        Runnable deflate =
                () -> {
                    for (int i = 0; i < 768; i++) {
                        Deflater each = new Deflater();
                        each.setInput(input);
                        each.deflate(new byte[64]);
                        open.add(each);
                    }
                };
        try {
            assertThat(growth(deflate, each -> each > SOME)).isGreaterThan(SOME);
        } finally {
            open.forEach(Deflater::end);
        }
    }

    /**
     * T8: a look must work when metaspace is full. Other threads may load classes, so that a round
     * without any is waited for; if a look loaded one each time, there would be none.
     */
    @Test
    void aLookLoadsNoClasses() {
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        History history = new History();
        long least = Long.MAX_VALUE;
        try (TickReader reader = reader()) {
            reader.read(row);
            history.add(row);
            for (int round = 0; round < 100 && least > 0; round++) {
                long before = classes.getTotalLoadedClassCount();
                for (int i = 0; i < 50; i++) {
                    reader.read(row);
                    history.add(row);
                }
                least = Math.min(least, classes.getTotalLoadedClassCount() - before);
            }
        }

        assertThat(least).isZero();
    }

    /**
     * T9: processor time of collectors is counted by the system, never made of the time of cycles.
     */
    @Test
    void processorTimeOfTheCollectorIsThatOfTheJvmOrUnknown() {
        try (TickReader reader = reader()) {
            double before = read(reader).gcCpuMillis();
            for (int i = 0; i < 20; i++) {
                System.gc();
            }
            Tick after = read(reader);
            if (before >= 0) { // Linux
                OperatingSystemMXBean system =
                        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
                double all = system.getProcessCpuTime() / 1e6;
                assertThat(after.gcCpuMillis()).isBetween(before, all + 1_000);
                assertThat(after.gcCpuMillis()).isGreaterThan(before);
                assertThat(after.gcWaitMillis()).isNotNegative();
            }
        }
    }
}

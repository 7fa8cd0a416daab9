// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Samples.MIB;
import static io.heapsampler.doctor.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.GarbageCollector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GcLogTest {

    private static final int POOLS = 3;
    private static final long AT = 1_700_000_000_000L;

    private static final Pattern FULL =
            Pattern.compile(
                    "GC\\(\\d+\\) Pause Full (\\(System\\.gc\\(\\)\\))"
                            + " (\\d+)M->(\\d+)M\\((\\d+)M\\) ([0-9.]+)ms");

    private static final Map<CollectionKind, String> BEANS =
            Map.of(
                    CollectionKind.OLD_CYCLE, "Major Cycles",
                    CollectionKind.PHASE_PAUSE, "Major Pauses",
                    CollectionKind.DEGENERATED_PAUSE, "Major Pauses",
                    CollectionKind.YOUNG_CYCLE, "Minor Cycles");

    private static GcEvent collection(
            long atMillis, double millis, CollectionKind kind, String action, long heapBefore) {
        long after = heapBefore < 0 ? -1 : heapBefore / 2;
        return new GcEvent(
                atMillis,
                millis,
                kind,
                BEANS.getOrDefault(kind, "a bean"),
                action,
                "a cause",
                heapBefore,
                after,
                64 * MIB,
                -1,
                -1,
                -1,
                -1,
                -1);
    }

    private static String log(GarbageCollector collector, GcEvent... collections) {
        JvmSettings settings =
                new JvmSettings(21, collector, 1, 1, -1, -1, Long.MAX_VALUE, 1, Map.of());
        return GcLog.of(new Timeline(settings, List.of(), List.of(collections), List.of()));
    }

    @Test
    void pausesAreNumberedInTheOrderOfTheirEnds() {
        String log =
                log(
                        GarbageCollector.G1,
                        collection(AT + 2_000, 1.5, CollectionKind.FULL_PAUSE, "x", 12 * MIB),
                        collection(AT, 3.25, CollectionKind.YOUNG_PAUSE, "x", 21 * MIB - 1));

        assertThat(log)
                .isEqualTo(
                        """
                        [2023-11-14T22:13:20.000+0000][info][gc] Using G1
                        [2023-11-14T22:13:20.004+0000][info][gc] GC(0) Pause Young (a cause) 20M->10M(64M) 3.250ms
                        [2023-11-14T22:13:22.002+0000][info][gc] GC(1) Pause Full (a cause) 12M->6M(64M) 1.500ms
                        """);
    }

    @Test
    void pausesWithinACycleHaveItsNumber() {
        String log =
                log(
                        GarbageCollector.SHENANDOAH,
                        collection(AT, 0, CollectionKind.PHASE_PAUSE, "Init Mark", -1),
                        collection(AT + 10, 20, CollectionKind.OLD_CYCLE, "x", 8 * MIB),
                        collection(AT + 10, 0, CollectionKind.PHASE_PAUSE, "Init Mark", -1),
                        collection(AT + 20, 1, CollectionKind.DEGENERATED_PAUSE, "x", -1),
                        collection(AT + 50, 1, CollectionKind.UNKNOWN, "did it", -1));

        assertThat(log.lines().map(line -> line.substring(line.indexOf("] ", 25) + 2)))
                .containsExactly(
                        "Using Shenandoah",
                        "GC(0) Pause Init Mark (a cause) 0.000ms",
                        "GC(1) Pause Init Mark (a cause) 0.000ms",
                        "GC(1) Pause Degenerated GC (a cause) 1.000ms",
                        "GC(1) Concurrent GC (a cause) 8M->4M(64M) 20.000ms",
                        "GC(2) a bean, did it (a cause) 1.000ms");
    }

    /** The last pause of a cycle may end with it, and a minor cycle may lie within a major one. */
    @Test
    void aPauseKnowsItsCycleByTheBean() {
        String log =
                log(
                        GarbageCollector.Z_GENERATIONAL,
                        collection(AT, 50, CollectionKind.OLD_CYCLE, "x", 8 * MIB),
                        collection(AT + 5, 1, CollectionKind.PHASE_PAUSE, "x", -1),
                        collection(AT + 10, 5, CollectionKind.YOUNG_CYCLE, "x", 8 * MIB),
                        collection(AT + 49, 1, CollectionKind.PHASE_PAUSE, "x", -1));

        assertThat(log.lines().skip(1).map(line -> line.substring(line.indexOf("GC("))))
                .containsExactly(
                        "GC(1) Pause (a cause) 1.000ms",
                        "GC(0) Minor Collection (a cause) 8M->4M(64M) 5.000ms",
                        "GC(1) Major Collection (a cause) 8M->4M(64M) 50.000ms",
                        "GC(1) Pause (a cause) 1.000ms");
    }

    @Test
    void cyclesOfZHaveTheNamesThatItsLogGivesThem() {
        GcEvent young = collection(AT, 1, CollectionKind.YOUNG_CYCLE, "x", MIB);
        GcEvent old = collection(AT, 1, CollectionKind.OLD_CYCLE, "x", MIB);

        assertThat(log(GarbageCollector.Z, old)).contains("Using The Z Garbage Collector\n");
        assertThat(log(GarbageCollector.Z, old)).contains(" Garbage Collection (a cause)");
        assertThat(log(GarbageCollector.Z_GENERATIONAL, young))
                .contains(" Minor Collection (a cause)");
        assertThat(log(GarbageCollector.Z_GENERATIONAL, old))
                .contains(" Major Collection (a cause)");
    }

    @Test
    void ofNoCollectionsThereIsNoLog() {
        assertThat(log(GarbageCollector.EPSILON)).isEmpty();
    }

    /** Waits for a full collection in the log; the last one. */
    private static Matcher lastFull(Supplier<String> log) throws InterruptedException {
        until("a full collection", () -> FULL.matcher(log.get()).find());
        Matcher all = FULL.matcher(log.get());
        String last = "";
        while (all.find()) {
            last = all.group();
        }
        Matcher matcher = FULL.matcher(last);
        assertThat(matcher.matches()).isTrue();
        return matcher;
    }

    /**
     * Beside the log of this JVM, which sums up in other places: of each of the three pools a
     * megabyte more or less, or a region of G1, whose pools do not know what is in the one that is
     * being filled. What dies meanwhile is more than that, so that before and after differ.
     */
    @Test
    void itSaysWhatTheJvmSays(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("gc.log");
        try (GcDoctor doctor =
                GcDoctor.start(
                        DoctorOptions.builder().flightRecorder(false).sampling(false).build())) {
            GarbageCollector collector = doctor.timeline().settings().collector();
            assumeThat(collector)
                    .isIn(GarbageCollector.SERIAL, GarbageCollector.PARALLEL, GarbageCollector.G1);
            // In its first second it rehearses, and the pools lag behind these allocations.
            until("a second look", () -> doctor.timeline().ticks().size() > 2);
            command("output=" + file, "what=gc");
            fillAndDrop(64);
            System.gc();
            Matcher jvm = lastFull(() -> read(file));
            command("disable");
            Matcher ours = lastFull(() -> GcLog.of(doctor.timeline()));

            long slack = POOLS * Math.max(1, doctor.timeline().settings().regionSize() / MIB);
            assertThat(ours.group(1)).isEqualTo(jvm.group(1));
            for (int size = 2; size <= 4; size++) {
                assertThat(Long.parseLong(ours.group(size)))
                        .as("%s beside %s", ours.group(), jvm.group())
                        .isBetween(
                                Long.parseLong(jvm.group(size)) - slack,
                                Long.parseLong(jvm.group(size)) + slack);
            }
            assertThat(Double.parseDouble(ours.group(5)))
                    .isBetween(0.5 * millis(jvm) - 1, 1.5 * millis(jvm) + 2);
        }
    }

    /** Holds the given megabytes at once, in pieces that are large to no collector. */
    private static void fillAndDrop(int megabytes) {
        List<byte[]> held = new ArrayList<>();
        for (int piece = 0; piece < megabytes * 64; piece++) {
            held.add(new byte[16 * 1024]);
        }
        assertThat(held).hasSize(megabytes * 64);
    }

    private static double millis(Matcher line) {
        return Double.parseDouble(line.group(5));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void command(String... arguments) throws Exception {
        ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmLog",
                        new Object[] {arguments},
                        new String[] {String[].class.getName()});
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Excerpts of logs of {@code LogOutputMain}, and lines that an application may forge. */
class VmLogParserTest {

    private static final int LONG_UPTIME = 100_000_000;

    /** As if this JVM ran for longer than the recorded ones. */
    private final long began = System.currentTimeMillis() - LONG_UPTIME;

    private final History history = new History();
    private final VmClock clock = new VmClock(() -> began + LONG_UPTIME, () -> LONG_UPTIME, began);
    private final VmLogParser parser = new VmLogParser(history, clock, 100);

    private List<JvmEvent> events() {
        return history.timeline(Samples.settings(), 0).events();
    }

    private List<JvmEvent> parsed(String lines) {
        byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
        parser.parse(bytes, bytes.length);
        return events();
    }

    private static String recorded(int jdk, String section) throws IOException {
        try (InputStream in = VmLogParserTest.class.getResourceAsStream("vm-log-" + jdk + ".txt")) {
            String all =
                    new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            int at = all.indexOf("== " + section + "\n");
            assertThat(at).as(section).isNotNegative();
            int end = all.indexOf("\n== ", at);
            return all.substring(at, end < 0 ? all.length() : end + 1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "17, Serial references, GCPhasePauseLevel1, Reference Processing, 58.3",
        "21, Serial references, GCPhasePauseLevel1, Reference Processing, 37.3",
        "25, Serial references, GCPhasePauseLevel1, Reference Processing, 32",
        "17, Parallel references, GCPhasePauseLevel1, Reference Processing, 97.2",
        "21, Parallel references, GCPhasePauseLevel1, Reference Processing, 20.802",
        "25, Parallel references, GCPhasePauseLevel1, Reference Processing, 34.282",
        "17, G1 references, GCPhasePauseLevel1, Reference Processing, 98.7",
        "21, G1 references, GCPhasePauseLevel1, Reference Processing, 31.3",
        "25, G1 references, GCPhasePauseLevel1, Reference Processing, 26.81",
        "25, G1 references, GCPhasePauseLevel1, Post Evacuate Collection Set, 28.44",
        "17, Serial references, GCPhasePause, Pause Young, 116.764",
        "21, G1 references, GCPhasePause, Pause Young, 65.593",
        "17, Shenandoah ring, GCPhasePause, Pause Degenerated GC, 372.138",
        "25, Shenandoah ring, GCPhasePause, Pause Degenerated GC, 227.334"
    })
    void phasesAreRead(int jdk, String section, String type, String name, double millis)
            throws IOException {
        assertThat(parsed(recorded(jdk, section)))
                .anyMatch(
                        event ->
                                event.type().equals(type)
                                        && name.equals(event.values().get("name"))
                                        && event.durationMillis() == millis);
    }

    @ParameterizedTest
    @CsvSource({
        "17, G1 ring, EvacuationFailed, 1",
        "21, G1 ring, EvacuationFailed, 1",
        "25, G1 ring, EvacuationFailed, 1",
        "17, Serial promotion, PromotionFailed, 1",
        "21, Serial promotion, PromotionFailed, 1",
        "25, Serial promotion, PromotionFailed, 1",
        "17, Z ring, ZAllocationStall, 3",
        "21, Z ring, ZAllocationStall, 2",
        "25, Z ring, ZAllocationStall, 3",
        "17, G1 critical, GCLocker, 1",
        "21, G1 critical, GCLocker, 1",
        "17, Serial critical, GCLocker, 1",
        "21, Serial critical, GCLocker, 1",
        "25, Serial critical, GCLocker, 2",
        "17, Parallel critical, GCLocker, 1"
    })
    void eventsAreCounted(int jdk, String section, String type, int count) throws IOException {
        assertThat(parsed(recorded(jdk, section)))
                .filteredOn(event -> event.type().equals(type))
                .hasSize(count);
    }

    /** From the first thread that waits to the end of the last section; 25 reports each. */
    @ParameterizedTest
    @CsvSource({
        "17, G1 critical, 321.704, 2576",
        "21, G1 critical, 869.903, 2766",
        "25, Serial critical, 228, 1608"
    })
    void aWaitHasItsLength(int jdk, String section, double millis, int at) throws IOException {
        JvmEvent wait =
                parsed(recorded(jdk, section)).stream()
                        .filter(event -> event.type().equals("GCLocker"))
                        .findFirst()
                        .orElseThrow();

        assertThat(wait.durationMillis()).isEqualTo(millis);
        assertThat(wait.atMillis()).isEqualTo(began + at);
    }

    @Test
    void aStallIsDatedAtItsBeginning() throws IOException {
        JvmEvent stall = parsed(recorded(17, "Z ring")).get(0);

        assertThat(stall.type()).isEqualTo("ZAllocationStall");
        assertThat(stall.durationMillis()).isEqualTo(61.558);
        assertThat(stall.atMillis()).isEqualTo(began + 2_684);
    }

    @Test
    void whatIsConcurrentIsNoPause() {
        assertThat(
                        parsed(
                                """
                                [1000000000ns][gc,phases] GC(5) y: Concurrent Mark 17.949ms
                                [1000000001ns][gc] GC(24) Concurrent Mark Cycle 10.505ms
                                [1000000002ns][gc] Relocation Stall (Thread-2) 17.717ms
                                """))
                .isEmpty();
    }

    /** It would count as time for references. */
    @Test
    void theCauseOfAPauseIsNotItsName() {
        assertThat(
                        parsed(
                                "[1000000000ns][gc          ] GC(3) Pause Full (Metadata GC Clear"
                                        + " Soft References) 6M->4M(40M) 50.736ms\n"))
                .singleElement()
                .satisfies(it -> assertThat(it.values()).containsEntry("name", "Pause Full"));
    }

    /** Pinned regions are no want of memory. */
    @Test
    void pinnedRegionsAreNoFailure() {
        assertThat(
                        parsed(
                                "[1000000000ns][gc] GC(3) Pause Young (Normal) (G1 Evacuation"
                                    + " Pause) (Evacuation Failure: Pinned) 6M->4M(40M) 1.7ms\n"))
                .isEmpty();
    }

    @Test
    void linesArriveInPieces() {
        parsed("[1000000000ns][gc] GC(3) To-space ex");
        assertThat(parsed("hausted\n[1000")).hasSize(1);
    }

    @Test
    void aPieceBeforeAGapIsNotContinued() {
        parsed("[1000000000ns][gc] GC(3) To-space ");
        parser.gap();
        assertThat(parsed("exhausted\n")).isEmpty();
    }

    @Test
    void otherLinesAreIgnored() {
        assertThat(
                        parsed(
                                """

                                [gc] To-space exhausted
                                [99999999999999999999999ns][gc] GC(1) To-space exhausted
                                [1ns][gc,heap] GC(1) To-space exhausted
                                [1ns][gc] GC(1) Pause Young (x) 99999999999999999999999.1ms
                                [1ns][gc,jni] Performing GC after exiting critical section.
                                To-space exhausted
                                """))
                .isEmpty();
    }

    /** JDK 17 writes line breaks of names; their author does not know the time. */
    @ParameterizedTest
    @CsvSource({"1", "1900000000", "200000000000000000"})
    void namesOfThreadsForgeNoLines(String nanos) {
        String name = "x\" 0 locked.\n[" + nanos + "ns][gc    ] GC(0) To-space exhausted\n\"y";

        assertThat(
                        parsed(
                                "[2000000000ns][gc,jni] Allocation failed. Thread stalled by JNI"
                                        + " critical section. Thread \""
                                        + name
                                        + "\" 2 locked.\n"))
                .isEmpty();
    }

    @Test
    void namesOfThreadsChangeNoValues() {
        String name = "a) 99999.0ms Thread \"b\" 7 locked. Resumed after 9999ms. \\";
        String lines =
                "[1000000000ns][gc,jni] Thread blocked to start GC. Resumed after 5ms. Thread \""
                        + name
                        + "\".\n[1000000001ns][gc] Allocation Stall ("
                        + name
                        + ") 6.000ms\n";

        assertThat(parsed(lines))
                .extracting(JvmEvent::durationMillis)
                .containsExactlyInAnyOrder(5.0, 6.0);
    }

    @Test
    void longNamesTakeNoMemory() {
        String long1 = "n".repeat(500);
        assertThat(parsed("[1000000000ns][gc] Allocation Stall (" + long1 + ") 6.000ms\n"))
                .singleElement()
                .satisfies(it -> assertThat(it.values()).isEmpty());
        String long2 = "n".repeat(1 << 20);
        assertThat(parsed("[1000000000ns][gc] Allocation Stall (" + long2 + ") 6.000ms\n"))
                .hasSize(1);
        assertThat(parsed("[1000000000ns][gc] GC(3) To-space exhausted\n")).hasSize(2);
    }

    @Test
    void timeIsThatOfThisJvm() {
        History own = new History();
        VmClock now = new VmClock();
        long uptime = ManagementFactory.getRuntimeMXBean().getUptime();
        byte[] line =
                ("[" + uptime * 1_000_000 + "ns][gc] GC(3) To-space exhausted\n")
                        .getBytes(StandardCharsets.UTF_8);
        new VmLogParser(own, now, 100).parse(line, line.length);

        assertThat(own.timeline(Samples.settings(), 0).events())
                .singleElement()
                .satisfies(it -> assertThat(now.now() - it.atMillis()).isBetween(0L, 10_000L));
    }
}

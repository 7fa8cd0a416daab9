// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.SamplingStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class NativeStatusTest {

    private static final Path NATIVE = Path.of("..", "..", "native", "src");

    private static long failure(NativeStatus status, int jvmti) {
        return -(status.ordinal() + ((long) jvmti << 16));
    }

    @Test
    void codesAreThoseOfTheHeader() throws IOException {
        Map<Integer, String> codes = new TreeMap<>();
        String header = Files.readString(NATIVE.resolve("hs_status.h"));
        Matcher matcher = Pattern.compile("\\bHS_(\\w+) = (\\d+),").matcher(header);
        while (matcher.find()) {
            codes.put(Integer.parseInt(matcher.group(2)), matcher.group(1));
        }
        codes.values().remove("STATUS_COUNT");

        assertThat(codes.values()).containsExactlyElementsOf(names(NativeStatus.values()));
    }

    @Test
    void strategiesAreThoseOfTheHeader() throws IOException {
        String header = Files.readString(NATIVE.resolve("hs_strategy.h"));
        for (SamplingStrategy.Kind kind : SamplingStrategy.Kind.values()) {
            assertThat(header).contains("HS_BY_" + kind.name() + " = " + kind.ordinal() + ",");
        }
        assertThat(header)
                .contains("HS_STRATEGY_COUNT = " + SamplingStrategy.Kind.values().length + ",");
    }

    @Test
    void textsAreThoseOfTheSource() throws IOException {
        String source = Files.readString(NATIVE.resolve("hs_status.c"));
        for (NativeStatus status : NativeStatus.values()) {
            assertThat(source).contains("[HS_" + status.name() + "] = \"" + status.text() + "\"");
        }
    }

    @Test
    void dropCausesAreThoseOfTheHeader() throws IOException {
        List<String> causes =
                Pattern.compile("\\bHS_DROP_(\\w+),?\\s")
                        .matcher(Files.readString(NATIVE.resolve("hs_status.h")))
                        .results()
                        .map(result -> result.group(1))
                        .filter(name -> !name.equals("COUNT"))
                        .toList();

        assertThat(causes).containsExactlyElementsOf(names(DropCause.values()));
    }

    private static List<String> names(Enum<?>[] constants) {
        return Arrays.stream(constants).map(Enum::name).toList();
    }

    @Test
    void successPassesThrough() {
        assertThat(NativeStatus.check(0, "x")).isZero();
        assertThat(NativeStatus.check(17, "x")).isEqualTo(17);
    }

    @Test
    void anOwnedCapabilityIsExplained() {
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(
                        () -> NativeStatus.check(failure(NativeStatus.OWNED, 98), "start sampling"))
                .withMessageStartingWith(
                        "Heap sampling is already in use in this JVM by another agent (JVMTI error"
                            + " 98, NOT_AVAILABLE). Stop it first, e.g. async-profiler \"stop\";"
                            + " see README, \"One sampler per JVM\".")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.OWNED_BY_OTHER));
    }

    @Test
    void jvmtiErrorsAreNamed() {
        assertThatExceptionOfType(HeapSamplingUnavailableException.class)
                .isThrownBy(
                        () ->
                                NativeStatus.check(
                                        failure(NativeStatus.JVMTI, 112), "start sampling"))
                .withMessageContaining(
                        "Cannot start sampling: the JVM refused a JVMTI call (JVMTI error 112,"
                                + " WRONG_PHASE).")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.JVMTI_REFUSED));
    }

    @Test
    void misuseIsAStateOrArgumentException() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                NativeStatus.check(
                                        failure(NativeStatus.TOO_MANY, 0), "start sampling"))
                .withMessageContaining(
                        "too many recordings are open. Close some: 64 can be open at once");
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> NativeStatus.check(failure(NativeStatus.BUSY, 0), "set the limits"))
                .withMessageContaining("Close all recordings");
        assertThatIllegalStateException()
                .as("it was not overtaken, so there is one try")
                .isThrownBy(
                        () -> NativeStatus.check(failure(NativeStatus.STUCK, 0), "set the limits"))
                .withMessage(
                        "Cannot set the limits: a thread is suspended inside a sample. Resume it,"
                                + " or try later; a debugger may have suspended it.")
                .isNotInstanceOf(OvertakenException.class);
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> NativeStatus.check(failure(NativeStatus.INSIDE, 0), "stop sampling"))
                .withMessage(
                        "Cannot stop sampling: this thread is inside a snapshot of HeapSampler."
                                + " Call it later: another agent was called back as the JVM made"
                                + " the array for the snapshot, and called HeapSampler.");
        assertThatExceptionOfType(OvertakenException.class)
                .isThrownBy(
                        () ->
                                NativeStatus.check(
                                        failure(NativeStatus.CHANGED, 0), "start sampling"))
                .withMessage(
                        "Cannot start sampling: another has changed the limits or the strategy"
                                + " meanwhile. Try again; an agent, or a copy of HeapSampler in"
                                + " another class loader, also keeps starting and ending"
                                + " sampling.");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                NativeStatus.check(
                                        failure(NativeStatus.INVALID, 0), "set the limits"));
        assertThatIllegalStateException()
                .isThrownBy(() -> NativeStatus.check(-200, "x"))
                .withMessageContaining("unknown status 200");
    }

    /** Of a recording, or of the process-wide sampler: the status says the same. */
    @Test
    void aFullTableNamesFiltersAndHolds() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> NativeStatus.check(failure(NativeStatus.FULL, 0), "start sampling"))
                .withMessageContainingAll("threads, classes or packages", "holds", "32 at most");
    }
}

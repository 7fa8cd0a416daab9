// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The library as an agent, named with {@code -agentpath}, on each JDK in the long tier. */
class AgentPathTest {

    @TempDir Path folder;
    private Path library;

    static List<Jdk> jdks() {
        return Jdk.due();
    }

    @BeforeEach
    void writeLibrary() throws IOException {
        library = Core.libraryIn(folder.resolve("agent"));
    }

    private ForkedJvm jvm(Jdk jdk, String options) {
        return new ForkedJvm(jdk, folder).flags("-agentpath:" + library + "=" + options);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void classesThatComeLaterFindItsEngine(Jdk jdk) {
        Outcome outcome =
                jvm(jdk, "interval=4k")
                        .flags("-Xcheck:jni")
                        .probe("early", "state", "sample", "since")
                        .assertSampled();
        assertThat(outcome.value("state")).isEqualTo("RUNNING");
        assertThat(Long.parseLong(outcome.value("early"))).as("samples before ours").isPositive();
        assertThat(outcome.value("since")).isEqualTo("before main");
        assertThat(outcome.value("origin")).endsWith(", joined to the engine of " + library);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void stacksAreLookedUpUnlessAPropertySaysOtherwise(Jdk jdk) {
        Outcome on = jvm(jdk, "interval=4k").probe("sample", "fast").assertSampled();
        Outcome off =
                jvm(jdk, "interval=4k")
                        .flags("-Dheapsampler.fastStacks=off")
                        .probe("sample", "fast")
                        .assertSampled();
        assertThat(on.value("fast")).isEqualTo("true");
        assertThat(off.value("fast")).isEqualTo("false");
    }

    @Test
    void theSameFileIsOneEngineToo() {
        jvm(Jdk.own(), "interval=4k")
                .property("heapsampler.library.path", library)
                .probe("early", "sample")
                .assertSampled();
    }

    @Test
    void theSmallestIntervalIsInForceAndTheAgentGoesOn() {
        Outcome outcome =
                jvm(Jdk.own(), "interval=8k")
                        .probe("interval", "sample", "interval", "stop", "interval", "holders")
                        .assertSampled();
        assertThat(outcome.all("interval")).containsExactly("8192", "4096", "8192");
        assertThat(outcome.value("holders")).isEqualTo("[agentpath]");
    }

    @Test
    void anAgentWithASmallerIntervalDoesNotKeepTheApplicationFromStarting() {
        Outcome outcome =
                jvm(Jdk.own(), "interval=1k").probe("sample", "interval", "state").assertSampled();
        assertThat(outcome.value("interval")).isEqualTo("1024");
    }

    @Test
    void otherLimitsThanThoseOfTheAgentAreRefused() {
        Outcome outcome = jvm(Jdk.own(), "interval=8k").probe("deep");
        assertThat(outcome.exitCode()).isOne();
        assertThat(outcome.output())
                .contains("The sampler is running with other options (interval=8192")
                .contains("It is held by agentpath. Call HeapSampler.start() without the options");
    }

    /** Each of them fits, but not all. */
    @Test
    void boundsThatDoNotFitTogetherAreRefusedWithWhatFits() {
        Outcome outcome =
                jvm(
                                Jdk.own(),
                                "maxTracked=2097152,maxStacks=4194304,maxNames=4194304,maxSites=4194304")
                        .probe("state")
                        .assertExit(0);
        assertThat(outcome.output())
                .contains(
                        "HeapSampler: cannot start: no native memory is left; all tables together"
                                + " can have 256 MiB, so lower maxTracked, maxStacks, maxNames or"
                                + " maxSites. The JVM runs on without sampling.");
        assertThat(outcome.value("state")).isEqualTo("NEW");
    }

    @Test
    void theAgentHasABudgetOfItsOwn() {
        Outcome outcome = jvm(Jdk.own(), "interval=4k,maxOverhead=0.05").probe("early", "budget");
        assertThat(outcome.value("budget")).isEqualTo("0.05");
        assertThat(jvm(Jdk.own(), "interval=4k").probe("early", "budget").value("budget"))
                .isEqualTo("0.01");
    }

    @Test
    void allocationsCanBeCounted() {
        Outcome outcome = jvm(Jdk.own(), "allocations=10").probe("early", "look").assertSampled();
        assertThat(outcome.value("strategy")).isEqualTo("one in 10 allocations");
    }

    /**
     * JDK 17 to 24 count the unused rest of a buffer that a collection takes as allocated. Of 500
     * arrays of 32 bytes at 512 KiB, 0.03 samples are expected; 4 and more have a chance of 4e-8.
     * Without a correction there are some hundred.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void whatAThreadHasNotAllocatedIsNotCounted(Jdk jdk) {
        Outcome outcome = jvm(jdk, "interval=512k").main(Seldom.class.getName()).assertExit(0);
        assertThat(Long.parseLong(outcome.value("arrays"))).isLessThan(4);
        assertThat(outcome.value("notes")).doesNotContain("does not say how");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aBadOptionIsReportedAndTheApplicationRunsOn(Jdk jdk) {
        Outcome outcome = jvm(jdk, "interwal=4k").probe("state").assertExit(0);
        assertThat(outcome.output())
                .contains(
                        "HeapSampler: bad option of the agent: there is no option \"interwal\";"
                            + " valid are interval, allocations, atMostOnePer, maxOverhead,"
                            + " maxDepth, maxTracked, maxStacks, maxNames, maxSites, maxThreads,"
                            + " maxDead, reportOnOom, as in interval=64k,maxDepth=64. The JVM runs"
                            + " on without sampling.");
        assertThat(outcome.value("state")).isEqualTo("NEW");
    }

    /** Not only when memory runs out: that would be too late. */
    @Test
    void aReportThatCouldNotBeWrittenIsABadOption() throws IOException {
        Path precious = Files.writeString(folder.resolve("precious"), "precious");
        Path link = Files.createSymbolicLink(folder.resolve("link.txt"), precious);
        Path missing = folder.resolve("missing").resolve("oom.txt");
        Outcome outcome =
                jvm(Jdk.own(), "interval=4k,reportOnOom=" + missing)
                        .probe("state", "attach=" + library + " reportOnOom=" + link)
                        .assertExit(0);
        String hint =
                "; name a file of this user's own, in a folder that is there and that others"
                        + " cannot write to. ";
        assertThat(outcome.output())
                .contains(
                        "HeapSampler: bad option of the agent: reportOnOom names "
                                + missing
                                + ", where no report can be written: its folder is not there"
                                + hint
                                + "The JVM runs on without sampling.",
                        "HeapSampler: bad option of the agent: reportOnOom names "
                                + link
                                + ", where no report can be written: it is a symbolic link"
                                + hint
                                + "Nothing has changed in the JVM.");
        assertThat(outcome.value("state")).isEqualTo("NEW");
        assertThat(outcome.value("attached")).contains("-1");
        assertThat(precious).hasContent("precious");
    }

    /** Such a JVM knows ASCII alone, so that there is no Path for this file. */
    @ParameterizedTest
    @MethodSource("jdks")
    void aReportWithANameThatTheLocaleCannotSpellHindersNoCall(Jdk jdk) throws IOException {
        Path flags = folder.resolve("flags"); // The launcher takes its bytes as they are.
        String named = "reportOnOom=" + folder + "/\u00f6.txt";
        Files.writeString(flags, "-agentpath:" + library + "=interval=4k," + named);
        Outcome outcome =
                new ForkedJvm(jdk, folder)
                        .through(List.of("env", "LC_ALL=C"))
                        .flags("@" + flags)
                        .probe("state", "sample", "stop", "start")
                        .assertSampled();
        assertThat(outcome.value("state")).isEqualTo("RUNNING");
    }

    @Test
    void whatIsNamedTwiceStartsOnce() {
        Outcome outcome =
                jvm(Jdk.own(), "interval=4k")
                        .flags("-agentpath:" + library + "=interval=64k")
                        .probe("early", "sample")
                        .assertSampled();
        assertThat(outcome.output())
                .containsOnlyOnce(
                        "HeapSampler: the library is named as an agent twice; the first options"
                                + " count.");
    }

    /** With the JVM's own command for that, which is the same as attaching from outside. */
    @Test
    void attachingToAJvmThatSamplesIsRefusedAndChangesNothing() {
        Outcome outcome =
                jvm(Jdk.own(), "interval=4k")
                        .probe("attach=" + library + " interval=64k", "early", "sample")
                        .assertSampled();
        assertThat(outcome.value("attached")).contains("-1");
        assertThat(outcome.output())
                .containsOnlyOnce(
                        "HeapSampler: cannot start: sampling goes on in this JVM already; look at"
                                + " what it finds, or call HeapSampler.stop() and reset() first."
                                + " Nothing has changed in the JVM.");
    }

    @Test
    void attachingToAJvmThatDoesNotSampleStartsIt() {
        Outcome outcome =
                new ForkedJvm(folder)
                        .probe(
                                "state",
                                "attach=" + library + " interval=4k",
                                "early",
                                "sample",
                                "since")
                        .assertSampled();
        assertThat(outcome.value("state")).isEqualTo("NEW");
        assertThat(outcome.value("attached")).contains("return code: 0");
        assertThat(outcome.value("origin")).endsWith(", joined to the engine of " + library);
    }

    /** A second copy of the file, as another agent: there is one engine. */
    @Test
    void aSecondAgentIsRefused() throws IOException {
        Path second = Core.libraryIn(folder.resolve("second"));
        Outcome outcome =
                jvm(Jdk.own(), "interval=4k")
                        .flags("-agentpath:" + second + "=interval=64k")
                        .probe("state")
                        .assertExit(0);
        assertThat(outcome.output())
                .contains(
                        "HeapSampler: cannot start: another copy of HeapSampler is in this JVM"
                                + " already; start sampling with that one.");
        assertThat(outcome.value("state")).isEqualTo("RUNNING");
    }
}

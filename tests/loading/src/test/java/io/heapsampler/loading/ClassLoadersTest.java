// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of HeapSampler in several class loaders of one JVM, as in an application server. */
class ClassLoadersTest {

    @TempDir Path folder;

    private ForkedJvm jvm() {
        return new ForkedJvm(folder)
                .classPath(Core.testClasses())
                .property(Tenants.PATH, Core.path() + ":" + Core.testClasses())
                .flags("-Xcheck:jni");
    }

    private static Outcome run(ForkedJvm jvm, String... steps) {
        Outcome outcome = jvm.main(Tenants.class.getName(), steps).assertExit(0);
        assertThat(outcome.value("done")).isEqualTo(Integer.toString(steps.length));
        return outcome;
    }

    @Test
    void copiesShareOneEngine() {
        Outcome outcome = run(jvm(), "a:start", "b:supported", "b:state", "b:sample", "a:look");
        assertThat(outcome.value("b.supported")).isEqualTo("true");
        assertThat(outcome.value("b.state")).isEqualTo("RUNNING");
        assertSampled(outcome, "a");
        assertSampled(outcome, "b");
        assertThat(outcome.value("b.origin")).contains(", joined to the engine of ");
    }

    @Test
    void aCopyStopsOnlyWhatItHolds() {
        Outcome outcome =
                run(
                        jvm(),
                        "a:sample",
                        "b:stop",
                        "b:start",
                        "b:holders",
                        "b:stop",
                        "b:state",
                        "a:stop",
                        "a:state",
                        "b:state");
        assertThat(outcome.value("b.holders")).isEqualTo("[application, application]");
        assertThat(outcome.all("b.state")).containsExactly("RUNNING", "STOPPED");
        assertThat(outcome.all("a.state")).containsExactly("STOPPED");
    }

    @Test
    void aHoldOfOneCopyOutlastsTheStopOfTheOther() {
        Outcome outcome =
                run(
                        jvm(),
                        "a:sample",
                        "b:share",
                        "a:stop",
                        "a:state",
                        "b:unshare",
                        "a:state",
                        "a:look");
        assertThat(outcome.all("a.state")).containsExactly("RUNNING", "STOPPED");
        assertThat(outcome.all("a.sampled")).hasSize(2).doesNotContain("0");
    }

    @Test
    void holdsOfACollectedCopyAreGivenBack() {
        Outcome outcome =
                run(
                        jvm(),
                        "a:share",
                        "a:start",
                        "b:share",
                        "b:holders",
                        "a:drop",
                        "b:alone",
                        "b:holders",
                        "b:state");
        assertThat(outcome.all("b.holders"))
                .containsExactly("[probe-a., application, probe-b.]", "[probe-b.]");
        assertThat(outcome.value("b.state")).isEqualTo("RUNNING");
    }

    @Test
    void tablesThatACollectedCopyKeptAreGivenBack() {
        Outcome outcome =
                run(
                        jvm(),
                        "b:record",
                        "b:memory",
                        "a:keep",
                        "a:record",
                        "b:memory",
                        "a:drop",
                        "b:freed",
                        "b:memory");
        List<Long> memory = outcome.all("b.memory").stream().map(Long::valueOf).toList();
        assertThat(memory).hasSize(3);
        assertThat(memory.get(1) - memory.get(0)).as("tables").isGreaterThan(4 << 20);
        assertThat(memory.get(2) - memory.get(0)).as("some threads").isLessThan(64 << 10);
    }

    @Test
    void labelsOfACopyThatStartsNothingReachTheEngineOfAnother() {
        Outcome outcome =
                run(
                        jvm(),
                        "c:label",
                        "a:sample",
                        "b:label",
                        "a:labels",
                        "b:drop",
                        "c:drop",
                        "a:look");
        assertThat(outcome.value("c.label")).isEqualTo("no labels: HeapSampler was not started");
        assertThat(outcome.value("b.label")).isEqualTo("{copy=b.}, open");
        assertThat(outcome.value("a.labels")).isEqualTo("[(none), b.]");
        assertThat(outcome.all("a.sampled")).hasSize(2).doesNotContain("0");
    }

    @Test
    void engineOutlivesTheCopyThatBroughtIt() {
        Outcome outcome = run(jvm(), "a:start", "b:start", "a:drop", "b:sample");
        assertThat(outcome.value("a.dropped")).isEqualTo("true");
        assertSampled(outcome, "b");
    }

    @Test
    void sameFileServesTwoCopies() throws IOException {
        Path library = Core.libraryIn(folder.resolve("library"));
        ForkedJvm jvm = jvm().property("heapsampler.library.path", library);
        Outcome outcome = run(jvm, "a:start", "b:sample");
        assertSampled(outcome, "b");
    }

    @Test
    void sameFileOnTheLibraryPathServesTwoCopies() throws IOException {
        Path library = Core.libraryIn(folder.resolve("library"));
        ForkedJvm jvm = jvm().property("java.library.path", library.getParent());
        Outcome outcome = run(jvm, "a:start", "b:sample");
        assertSampled(outcome, "b");
    }

    @Test
    void copyIsCollectedWhileItSamples() {
        Outcome outcome = run(jvm(), "load", "a:sample", "a:drop", "b:await", "b:look");
        assertThat(outcome.value("a.dropped")).isEqualTo("true");
        assertSampled(outcome, "b");
    }

    @Test
    void stoppedCopyIsCollected() {
        Outcome outcome =
                run(jvm(), "load", "a:sample", "a:stop", "a:drop", "b:sample", "b:drop", "c:await");
        assertSampled(outcome, "a");
        assertSampled(outcome, "b");
    }

    /** Comparing options must leave nothing of this copy behind in the JDK. */
    @Test
    void copyThatWasStartedTwiceIsCollected() {
        Outcome outcome = run(jvm(), "a:sample", "a:sample", "a:stop", "a:drop");
        assertThat(outcome.value("a.dropped")).isEqualTo("true");
    }

    /** The library stays mapped, so the next copy meets what the collected one left in it. */
    @Test
    void sameFileServesAgainAfterItsCopyWasCollected() throws IOException {
        String[] steps = {
            "load", "a:sample", "a:drop", "b:await", "b:look", "b:drop", "c:await", "c:look"
        };
        ForkedJvm jvm =
                jvm().property("heapsampler.library.path", Core.libraryIn(folder.resolve("lib")));
        Outcome outcome = run(jvm, steps);
        assertSampled(outcome, "a");
        assertSampled(outcome, "b");
        assertSampled(outcome, "c");
    }

    private static void assertSampled(Outcome outcome, String copy) {
        assertThat(Long.parseLong(outcome.value(copy + ".sampled")))
                .as("sites of %s in\n%s", copy, outcome)
                .isPositive();
    }
}

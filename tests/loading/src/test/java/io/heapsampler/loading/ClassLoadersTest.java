// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
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

    private static void assertOwnedByOther(Outcome outcome, String copy) {
        assertThat(outcome.value(copy + ".reason")).isEqualTo("OWNED_BY_OTHER");
        assertThat(outcome.value(copy + ".message"))
                .isEqualTo(
                        "Heap sampling is already in use in this JVM by another agent (JVMTI error"
                                + " 98, NOT_AVAILABLE). Stop it first, e.g. async-profiler"
                                + " \"stop\"; see README, \"One sampler per JVM\". The other agent"
                                + " may also be a second copy of HeapSampler in another class"
                                + " loader.");
        assertThat(outcome.value(copy + ".state")).isEqualTo("NEW");
    }

    @Test
    void secondCopyIsRefusedWhileTheFirstSamples() {
        Outcome outcome = run(jvm(), "a:start", "b:supported", "b:start", "a:sample");
        assertThat(outcome.value("b.supported")).isEqualTo("true");
        assertOwnedByOther(outcome, "b");
        assertSampled(outcome, "a");
    }

    @Test
    void secondCopyWorksAfterTheFirstStopped() {
        Outcome outcome =
                run(jvm(), "a:sample", "b:start", "a:stop", "b:sample", "b:stop", "a:start");
        assertOwnedByOther(outcome, "b");
        assertSampled(outcome, "a");
        assertSampled(outcome, "b");
    }

    @Test
    void firstCopyIsRefusedWhileTheSecondSamples() {
        Outcome outcome = run(jvm(), "a:supported", "b:start", "a:start", "b:stop", "a:sample");
        assertOwnedByOther(outcome, "a");
        assertSampled(outcome, "a");
    }

    @Test
    void sameFileCannotServeTwoCopies() throws IOException {
        Path library = Core.libraryIn(folder.resolve("library"));
        ForkedJvm jvm = jvm().property("heapsampler.library.path", library);
        Outcome outcome = run(jvm, "a:start", "b:supported", "b:start", "a:sample");
        assertOtherClassLoader(outcome, library.toString());
        assertThat(outcome.value("b.supported")).isEqualTo("false");
        assertSampled(outcome, "a");
    }

    @Test
    void sameFileOnTheLibraryPathCannotServeTwoCopies() throws IOException {
        Path library = Core.libraryIn(folder.resolve("library"));
        ForkedJvm jvm = jvm().property("java.library.path", library.getParent());
        Outcome outcome = run(jvm, "a:start", "b:start", "a:sample");
        assertOtherClassLoader(outcome, Core.libraryName());
        assertSampled(outcome, "a");
    }

    private static void assertOtherClassLoader(Outcome outcome, String file) {
        assertThat(outcome.value("b.reason")).isEqualTo("OTHER_CLASS_LOADER");
        assertThat(outcome.value("b.message"))
                .isEqualTo(
                        file
                                + " is already loaded by a copy of HeapSampler in another class"
                                + " loader, and a JVM can be sampled by one only. Use that copy,"
                                + " for instance by putting HeapSampler where both class loaders"
                                + " find the same classes.");
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

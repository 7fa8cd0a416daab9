// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.heapsampler.support.Jdk;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Callers of {@code System.gc()} are named, in each way of the call. */
class GcCallersTest {

    private static final String SYSTEM = "io\\.heapsampler\\.loading\\.GcCallers\\.system:\\d+";
    private static final String TAKE = "io\\.heapsampler\\.loading\\.GcCallers\\.take:\\d+";

    @TempDir Path folder;

    /**
     * Before a merge each JDK once: the newest in its own cell of the matrix, the others in that of
     * the oldest.
     */
    static List<Jdk> jdks() {
        List<Jdk> all = Jdk.all();
        int newest = all.get(all.size() - 1).feature();
        boolean isOfNewest = Jdk.own().feature() == newest;
        return Jdk.due().size() > 1
                ? all
                : all.stream().filter(each -> (each.feature() == newest) == isOfNewest).toList();
    }

    private Outcome run(Jdk jdk, String... steps) {
        Outcome outcome =
                new ForkedJvm(jdk, folder)
                        .flags("-Xcheck:jni", "-XX:MaxDirectMemorySize=1m")
                        .main(GcCallers.class.getName(), steps)
                        .assertExit(0);
        assertThat(outcome.value("done")).isEqualTo(Integer.toString(steps.length));
        return outcome;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void theCallerIsNamed(Jdk jdk) {
        String[] steps = {"start", "system", "runtime", "bean", "reflection", "direct"};
        Outcome outcome = run(jdk, steps);

        assertThat(outcome.value("system")).matches(SYSTEM);
        assertThat(outcome.value("reflection")).matches(SYSTEM);
        assertThat(outcome.value("runtime")).matches(TAKE);
        assertThat(outcome.value("bean")).matches(TAKE);
        assertThat(outcome.value("limit")).isEqualTo("reached");
        assertThat(outcome.all("direct"))
                .isNotEmpty()
                .allMatch(frame -> frame.contains(".GcCallers.fillDirectMemory:"));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void aVirtualThreadIsNamedAsWell(Jdk jdk) {
        assumeThat(jdk.feature()).isGreaterThanOrEqualTo(21);

        assertThat(run(jdk, "start", "virtual", "virtual").all("virtual"))
                .hasSize(2)
                .allMatch(frame -> frame.matches(SYSTEM));
    }

    /** Compiled code also calls the bound function. */
    @ParameterizedTest
    @MethodSource("jdks")
    void theLastCallsAreKept(Jdk jdk) {
        assertThat(run(jdk, "start", "often").all("often"))
                .hasSize(64)
                .allMatch(frame -> frame.matches(SYSTEM));
    }

    @Test
    void callsAreSeenWhileNothingIsSampled() {
        Outcome outcome = run(Jdk.own(), "start", "stop", "system", "start", "system");

        assertThat(outcome.all("system")).hasSize(2);
    }

    @Test
    void aCollectionThatHeapSamplerForcesIsNoCall() {
        Outcome outcome = run(Jdk.own(), "start", "forced", "system", "forced");

        assertThat(outcome.all("forced")).isEmpty();
        assertThat(outcome.all("system")).hasSize(1);
    }

    /** The method was bound before the library came. */
    @ParameterizedTest
    @MethodSource("jdks")
    void afterACallBeforeTheLibraryNoneIsSeen(Jdk jdk) {
        assertThat(run(jdk, "system", "start", "system").all("system")).isEmpty();
    }

    /** The copies come and go; the function that is bound stays. */
    @Test
    void calledThroughACopyThatIsGoneAndSeenByTheNext() {
        Outcome outcome =
                new ForkedJvm(folder)
                        .classPath(Core.testClasses())
                        .property(Tenants.PATH, Core.path() + ":" + Core.testClasses())
                        .flags("-Xcheck:jni")
                        .main(Tenants.class.getName(), "a:gc", "a:drop", "b:await", "b:gc", "c:gc")
                        .assertExit(0);

        for (String copy : List.of("a", "b", "c")) {
            assertThat(outcome.value(copy + ".gc"))
                    .startsWith("io.heapsampler.loading.Probe.callGc:");
        }
    }
}

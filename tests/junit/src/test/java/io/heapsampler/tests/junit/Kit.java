// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs classes of tests inside of tests. */
final class Kit {

    /** So often a method is called before it is compiled for good. */
    private static final int CALLS = 20_000;

    static {
        compileCalls();
        Sink.LEAK.add(Sink.class); // else the first test that is run would initialise it
        Sink.forget();
    }

    private Kit() {}

    /**
     * Has the JVM compile what JUnit calls tests with, for that allocates less from then on: a
     * change in the midst of a test's one run would make its figure uncertain.
     */
    private static void compileCalls() {
        Method method = ReflectionSupport.findMethod(Kit.class, "nothing").orElseThrow();
        Kit target = new Kit();
        for (int i = 0; i < CALLS; i++) {
            ReflectionSupport.invokeMethod(method, target);
        }
    }

    @SuppressWarnings("MethodCanBeStatic") // no test is
    void nothing() {}

    static EngineExecutionResults run(Class<?> type) {
        return run(Map.of(), type);
    }

    /** With files of baselines in a directory, which are compared with or updated. */
    static EngineExecutionResults runWithBaselines(
            Path directory, boolean updates, Class<?>... types) {
        return run(
                Map.of(
                        "heapsampler.junit.baseline.directory",
                        directory.toString(),
                        "heapsampler.junit.update",
                        String.valueOf(updates)),
                types);
    }

    static EngineExecutionResults run(Map<String, String> parameters, Class<?>... types) {
        EngineTestKit.Builder builder =
                EngineTestKit.engine("junit-jupiter")
                        .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                        .configurationParameter("heapsampler.junit.verdicts", "none")
                        .configurationParameters(parameters);
        for (Class<?> type : types) {
            builder.selectors(selectClass(type));
        }
        return builder.execute();
    }

    /** Everything in the class passes, and there are this many tests. */
    static void assertPasses(Class<?> type, int tests) {
        EngineExecutionResults results = run(type);
        assertThat(problems(results)).isEmpty();
        results.testEvents().assertStatistics(s -> s.succeeded(tests).failed(0).aborted(0));
    }

    /** What failed or was aborted, tests and containers. */
    static List<Throwable> problems(EngineExecutionResults results) {
        return results.allEvents().stream()
                .map(event -> event.getPayload(TestExecutionResult.class))
                .flatMap(java.util.Optional::stream)
                .map(TestExecutionResult::getThrowable)
                .flatMap(java.util.Optional::stream)
                .toList();
    }

    /** The one thing that went wrong in a class. */
    static Throwable problem(Class<?> type) {
        return problem(Map.of(), type);
    }

    static Throwable problem(Map<String, String> parameters, Class<?> type) {
        EngineExecutionResults results = run(parameters, type);
        List<Throwable> problems = problems(results);
        assertThat(problems).as(type.getSimpleName() + ": " + entries(results)).hasSize(1);
        return problems.get(0);
    }

    /** The report entries of a run. */
    static String entries(EngineExecutionResults results) {
        StringBuilder text = new StringBuilder();
        results.allEvents().reportingEntryPublished().stream()
                .map(Event::getPayload)
                .forEach(payload -> text.append(payload).append('\n'));
        return text.toString();
    }
}

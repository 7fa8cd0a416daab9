// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.sun.management.OperatingSystemMXBean;
import io.heapsampler.support.JvmProcess;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Prints what an annotation adds to a test: processor time of a JVM that runs tests under JUnit's
 * launcher, less that of a JVM that runs the same tests without annotation, per test. Takes the
 * least of some JVMs each, since other load only adds. No test: figures depend on the machine.
 */
final class Price {

    private static final int JVMS = 3;

    private Price() {}

    /** Without arguments, measures all; in a forked JVM, runs classes and prints nanoseconds. */
    public static void main(String... args) throws Exception {
        if (args.length > 0) {
            run(args);
            return;
        }
        measure("a kept limit", "Kept", 8);
        measure("@NoAllocation", "Free", 8);
        measure("clean, @NoLeaks", "Clean", 2);
        measure("clean, @NoLeaks(threads = ALL)", "CleanAll", 1);
    }

    private static void measure(String what, String name, int classes) throws Exception {
        double first = least("Plain", 1);
        double more = least("Plain", classes);
        double firstMeasured = least(name, 1);
        double all = least(name, classes);
        int tests = 25 * classes;
        System.out.printf(
                Locale.ROOT,
                "%s: %.2f ms of processor time per test, of %d tests in a JVM%n",
                what,
                (all - more) / tests / 1e6,
                tests);
        if (classes > 1) {
            System.out.printf(
                    Locale.ROOT,
                    "    of which %.2f ms for each test beyond the first 25%n",
                    (all - more - firstMeasured + first) / (tests - 25) / 1e6);
        }
    }

    private static double least(String name, int classes) throws Exception {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < JVMS; i++) {
            least = Math.min(least, fork(name, classes));
        }
        return least;
    }

    private static double fork(String name, int classes) throws Exception {
        List<String> command = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC"));
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), Price.class.getName()));
        for (int i = 1; i <= classes; i++) {
            command.add(PriceCases.class.getName() + "$" + name + i);
        }
        JvmProcess.End end = ForkedJvm.run(command);
        return end.output()
                .lines()
                .filter(line -> line.startsWith("nanos="))
                .mapToDouble(line -> Double.parseDouble(line.substring("nanos=".length())))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(end.output()));
    }

    private static void run(String... types) throws ClassNotFoundException {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (String type : types) {
            request.selectors(selectClass(Class.forName(type)));
        }
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request.build(), listener);
        TestExecutionSummary summary = listener.getSummary();
        if (summary.getTestsSucceededCount() != 25L * types.length) {
            throw new IllegalStateException(Arrays.toString(summary.getFailures().toArray()));
        }
        OperatingSystemMXBean machine =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println("nanos=" + machine.getProcessCpuTime());
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of one group, and appends a line for each verdict to a file. Arguments: the group,
 * the feature release of the JDK, the collector, the load, the number of the repetition, the file.
 * With one argument more, the reason why the JVM of these tests ended, it appends a line for each
 * test without a verdict. Without arguments it prints the names of the groups.
 */
public final class Trial implements TestExecutionListener {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Cell cell;
    private final Class<?> group;
    private final Path file;
    private final Map<TestIdentifier, long[]> started = new HashMap<>();
    private final Map<TestIdentifier, String> entries = new HashMap<>();

    private Trial(Cell cell, Path file) {
        this.cell = cell;
        this.group = Groups.find(cell.group());
        this.file = file;
    }

    /** Runs it. */
    public static void main(String[] args) throws IOException {
        if (args.length == 0) {
            Groups.NAMES.forEach(System.out::println);
            return;
        }
        Trial trial = new Trial(Cell.of(List.of(args)), Path.of(args[Cell.FIELDS]));
        if (args.length > Cell.FIELDS + 1) {
            trial.appendMissing(args[Cell.FIELDS + 1]);
            return;
        }
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(trial.group))
                        .build();
        LauncherFactory.create().execute(request, trial);
        System.exit(0); // Some libraries leave threads behind that are no daemons.
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        started.put(test, new long[] {System.nanoTime(), SYSTEM.getProcessCpuTime()});
    }

    /** What passing assertions report is the text of their row. */
    @Override
    public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
        entries.merge(test, String.join("; ", entry.getKeyValuePairs().values()), String::concat);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        long[] start = started.remove(test);
        double seconds = (System.nanoTime() - start[0]) / 1e9;
        double cpuSeconds = (SYSTEM.getProcessCpuTime() - start[1]) / 1e9;
        boolean isMethod = test.getSource().orElse(null) instanceof MethodSource;
        if (test.isTest() && isMethod) {
            MethodSource source = (MethodSource) test.getSource().orElseThrow();
            String text = entries.getOrDefault(test, "");
            append(row(method(source.getMethodName()), result, text, seconds, cpuSeconds));
            result.getThrowable().map(Throwable::getMessage).ifPresent(System.out::println);
        } else if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            // The class, or the plan, failed: then each of its tests has no verdict of its own.
            for (Method each : Groups.tests(group)) {
                append(row(each, result, "", 0, 0));
            }
        }
    }

    private Method method(String name) {
        return Groups.tests(group).stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Row row(
            Method test,
            TestExecutionResult result,
            String text,
            double seconds,
            double cpuSeconds) {
        return new Row(
                cell,
                test.getName(),
                Groups.truth(test),
                Outcome.of(result),
                seconds,
                cpuSeconds,
                result.getThrowable().map(Throwable::toString).orElse(text));
    }

    private void appendMissing(String reason) throws IOException {
        List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        Set<String> judged =
                lines.stream().map(line -> Row.parse(line).test()).collect(Collectors.toSet());
        for (Method each : Groups.tests(group)) {
            if (!judged.contains(each.getName())) {
                append(
                        new Row(
                                cell,
                                each.getName(),
                                Groups.truth(each),
                                Outcome.DIED,
                                0,
                                0,
                                "the JVM ended: " + reason));
            }
        }
    }

    private void append(Row row) {
        if (!row.isRight()) {
            System.out.println(row.outcome() + " " + cell.group() + "." + row.test());
        }
        try {
            Files.write(
                    file,
                    List.of(row.line()),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

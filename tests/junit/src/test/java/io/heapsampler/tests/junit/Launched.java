// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** What becomes of classes under JUnit's launcher, with all that it finds on the class path. */
final class Launched implements TestExecutionListener {

    private final List<String> events = new ArrayList<>();

    private Launched() {}

    /** Runs classes, and returns a line for each test and for each container that failed. */
    static List<String> run(List<PostDiscoveryFilter> filters, Class<?>... types) {
        LauncherDiscoveryRequestBuilder request =
                LauncherDiscoveryRequestBuilder.request()
                        .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                        .filters(filters.toArray(PostDiscoveryFilter[]::new));
        for (Class<?> type : types) {
            request.selectors(selectClass(type));
        }
        Launched listener = new Launched();
        LauncherFactory.create().execute(request.build(), listener);
        return listener.events;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest() || result.getThrowable().isPresent()) {
            String why = result.getThrowable().map(e -> ": " + e.getMessage()).orElse("");
            events.add(test.getDisplayName() + " " + result.getStatus() + why);
        }
    }
}

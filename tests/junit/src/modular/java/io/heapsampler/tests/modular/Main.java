// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.modular;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.platform.commons.PreconditionViolationException;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the cases and prints what came of them. */
final class Main {

    private Main() {}

    public static void main(String[] args) {
        System.out.println(ModularCases.class.getModule());
        Launcher launcher = LauncherFactory.create();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launcher.execute(request(ModularCases.class), listener);
        System.out.println(listener.getSummary().getTestsSucceededCount() + " passed");
        listener.getSummary()
                .getFailures()
                .forEach(failure -> System.out.println(failure.getException().getMessage()));
        try {
            launcher.discover(request(ModularCases.Misplaced.class));
        } catch (PreconditionViolationException e) {
            System.out.println(e.getMessage());
        }
    }

    private static LauncherDiscoveryRequest request(Class<?> type) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selectClass(type)).build();
    }
}

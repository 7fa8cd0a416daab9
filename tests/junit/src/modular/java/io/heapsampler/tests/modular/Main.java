// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.modular;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

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
        launcher.execute(request(ModularCases.class, ModularCases.Misplaced.class), listener);
        System.out.println(listener.getSummary().getTestsSucceededCount() + " passed");
        listener.getSummary()
                .getFailures()
                .forEach(failure -> System.out.println(failure.getException().getMessage()));
    }

    private static LauncherDiscoveryRequest request(Class<?>... types) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (Class<?> type : types) {
            request.selectors(selectClass(type));
        }
        return request.build();
    }
}

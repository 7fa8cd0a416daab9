// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Switches on the search for holders, which is off in the other tests ({@code pom.xml}), and gives
 * it a minute: it takes long where many builds share the cores.
 */
final class HoldersAreSearched implements BeforeAllCallback, AfterAllCallback {

    private static final String MILLIS = "heapsampler.holders.millis";

    @Override
    public void beforeAll(ExtensionContext context) {
        System.setProperty(MILLIS, "60000");
    }

    @Override
    public void afterAll(ExtensionContext context) {
        System.setProperty(MILLIS, "0");
    }
}

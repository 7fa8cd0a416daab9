// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.plugin;

/** What a class loader of a test defines; it needs the JDK alone. */
public final class Plugin implements Runnable {

    private static int runs;

    @Override
    public void run() {
        runs++;
    }

    public static int runs() {
        return runs;
    }
}

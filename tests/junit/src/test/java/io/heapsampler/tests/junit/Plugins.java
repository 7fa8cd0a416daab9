// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static io.heapsampler.assertions.AllocationAssertions.assertAllocations;

import io.heapsampler.assertions.AllocationAssert;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.tests.plugin.Plugin;
import java.net.URL;
import java.net.URLClassLoader;

/** Class loaders that define classes of their own. */
final class Plugins {

    private Plugins() {}

    /** Opens a loader that has defined no class yet. */
    static URLClassLoader open() {
        URL[] here = {Plugin.class.getProtectionDomain().getCodeSource().getLocation()};
        return new URLClassLoader("plugin", here, ClassLoader.getPlatformClassLoader());
    }

    /** Opens a loader and has it define a class, which is returned. */
    static Class<?> load(Class<?> type) throws Exception {
        URLClassLoader loader = open();
        Class<?> loaded = Class.forName(type.getName(), true, loader);
        loader.close(); // what it holds, it still holds
        return loaded;
    }

    /** Returns a new plugin. */
    static Runnable start() throws Exception {
        return (Runnable) load(Plugin.class).getConstructor().newInstance();
    }

    /** Returns an assertion about a few runs of code that opens loaders. */
    static AllocationAssert deploying(ThrowingRunnable code) {
        return assertAllocations(code).as("deploying").iterations(5);
    }
}

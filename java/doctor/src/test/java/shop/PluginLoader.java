// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package shop;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Class loaders of the application that are kept, with a class each. */
public final class PluginLoader extends ClassLoader {

    private static final List<ClassLoader> KEPT = new ArrayList<>();

    private static final class Plugin {}

    private PluginLoader(byte[] code) {
        defineClass(Plugin.class.getName(), code, 0, code.length);
    }

    /** Makes some. */
    public static void load(int count) throws IOException {
        try (InputStream code = Plugin.class.getResourceAsStream("PluginLoader$Plugin.class")) {
            byte[] bytes = code.readAllBytes();
            for (int i = 0; i < count; i++) {
                KEPT.add(new PluginLoader(bytes));
            }
        }
    }

    /** Keeps none any more. */
    public static void forget() {
        KEPT.clear();
    }
}

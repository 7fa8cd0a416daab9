// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs in a forked JVM and exhausts what its first argument names: {@code heap} or {@code
 * metaspace}. A word and a comma before say what happens first: {@code array}, the program requests
 * an array that no heap could hold; {@code folder} or {@code link}, the program puts that in the
 * place of the report, a link to the file {@code precious} beside it. The second argument is the
 * file to report to, or {@code -} where an agent does that. Survives, and ends with the code 5.
 */
public final class OutOfMemory {

    static final int CODE = 5;

    private static final List<Object> KEPT = new ArrayList<>();

    private OutOfMemory() {}

    public static void main(String[] arguments) throws IOException {
        if (!arguments[1].equals("-")) {
            SamplerOptions.Builder options =
                    SamplerOptions.builder().interval(8_192).reportOnOom(Path.of(arguments[1]));
            HeapSampler.start(options.build());
        }
        if (arguments[0].contains(",")) {
            begin(arguments[0], Path.of(arguments[1]));
        }
        try {
            while (true) {
                if (arguments[0].endsWith("heap")) {
                    leak();
                } else {
                    loadClass();
                }
            }
        } catch (OutOfMemoryError e) {
            int kept = KEPT.size();
            KEPT.clear();
            System.out.println("survived=" + (kept > 0));
        }
        System.exit(CODE);
    }

    private static void begin(String what, Path report) throws IOException {
        switch (what.substring(0, what.indexOf(','))) {
            case "array" -> tooLong(report);
            case "folder" -> Files.createDirectory(report);
            case "link" -> Files.createLink(report, report.resolveSibling("precious"));
            default -> throw new IllegalArgumentException(what);
        }
    }

    private static void tooLong(Path report) {
        try {
            KEPT.add(new byte[Integer.MAX_VALUE]);
        } catch (OutOfMemoryError e) {
            String found = Files.exists(report) ? "a report" : "no report";
            System.out.println("refused=" + e.getMessage() + ", and " + found);
        }
    }

    private static void leak() {
        KEPT.add(new byte[100_000]);
    }

    /** A class of its own for each loader. */
    private static void loadClass() {
        ClassLoader loader = new URLClassLoader(new URL[0], OutOfMemory.class.getClassLoader());
        KEPT.add(
                Proxy.newProxyInstance(
                        loader, new Class<?>[] {Runnable.class}, (p, method, args) -> null));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.acme.Allocations;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Allocates objects whose class has a name that is markup, from threads with names that are. */
final class Hostile {

    static final String CLASS_PART = "<script>X";

    private static final List<Object> KEPT = new ArrayList<>();

    private Hostile() {}

    /** Its name is changed in its bytes, to one of the same length that the JVM also accepts. */
    static final class BscriptEX {}

    private static final class Bytes extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static void allocate() throws Exception {
        allocateIn("<script>alert(1)</script>\"'");
    }

    static synchronized void allocateIn(String threadName) throws Exception {
        Class<?> type = new Bytes().define(bytes());
        Thread thread =
                new Thread(
                        () -> {
                            for (int i = 0; i < 500; i++) {
                                KEPT.add(Allocations.array(type, 2000));
                            }
                        },
                        threadName);
        thread.start();
        thread.join();
    }

    private static byte[] bytes() throws IOException {
        try (InputStream in = Hostile.class.getResourceAsStream("Hostile$BscriptEX.class")) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
                    .replace("BscriptEX", CLASS_PART)
                    .getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}

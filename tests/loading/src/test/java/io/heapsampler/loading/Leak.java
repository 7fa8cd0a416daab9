// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs in a forked JVM and leaks until a report near the limit is whole; then it has itself killed,
 * as the system kills a process for its memory. The arguments: {@code heap}, or {@code direct} for
 * memory outside of it; the file of the report, or {@code -} where an agent names it, and then the
 * file in any case. Ends with the code 3 if no report comes.
 */
public final class Leak {

    static final double SHARE_OF_HEAP = 0.6;
    static final double SHARE_OF_CONTAINER = 0.5;
    static final int NO_REPORT = 3;

    private static final int SECONDS = 100;
    private static final int OBJECT = 10_000;
    private static final int BUFFER = 8 << 20;

    /** Of the maximum heap. */
    private static final double MOST = 0.7;

    private static final double MOST_BESIDE_BUFFERS = 0.1;
    private static final int MOST_BUFFERS = 12;

    static List<Object> held = new ArrayList<>();
    static Object garbage;

    private Leak() {}

    public static void main(String[] arguments) throws Exception {
        boolean isHeap = arguments[0].equals("heap");
        Path report = Path.of(arguments[arguments.length - 1]);
        if (!arguments[1].equals("-")) {
            HeapSampler.start(
                    SamplerOptions.builder()
                            .interval(65_536)
                            .reportNearLimit(isHeap ? SHARE_OF_HEAP : SHARE_OF_CONTAINER, report)
                            .build());
        }
        double part = isHeap ? MOST : MOST_BESIDE_BUFFERS;
        long most = (long) (Runtime.getRuntime().maxMemory() * part) / OBJECT;
        while (held.size() < most / 2) {
            leak();
        }
        System.gc();
        boolean isWhole =
                Until.within(
                        SECONDS,
                        () -> {
                            if (isHeap) {
                                fill(most);
                            } else if (held.size() < most / 2 + MOST_BUFFERS) {
                                buffer();
                            }
                            return isWhole(report);
                        });
        if (isWhole) {
            long self = ProcessHandle.current().pid();
            new ProcessBuilder("kill", "-9", Long.toString(self)).start();
            Thread.sleep(SECONDS * 1_000L);
        }
        System.exit(NO_REPORT);
    }

    /** Makes garbage too, so that there are collections. */
    private static void fill(long most) {
        for (int i = 0; i < 5; i++) {
            if (held.size() < most) {
                leak();
            }
            garbage = new byte[OBJECT];
        }
    }

    private static void leak() {
        held.add(new byte[OBJECT]);
    }

    private static void buffer() {
        ByteBuffer memory = ByteBuffer.allocateDirect(BUFFER);
        for (int at = 0; at < BUFFER; at += 4_096) {
            memory.put(at, (byte) 1);
        }
        held.add(memory);
    }

    private static boolean isWhole(Path report) throws IOException {
        if (!Files.exists(report)) {
            return false;
        }
        String text = Files.readString(report);
        return text.contains("Held by") && !text.contains("the search has begun");
    }
}

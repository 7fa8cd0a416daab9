// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;

/**
 * The memory of this process by three accounts: the kernel's, the JVM's and malloc's. The JVM needs
 * {@code -XX:NativeMemoryTracking=summary} and {@code -XX:+AlwaysPreTouch}.
 */
final class ProcessMemory {

    private ProcessMemory() {}

    /** Returns {@code rss}, {@code jvm} and {@code malloc_free}, in bytes. */
    static void answer() throws IOException, JMException {
        Fork.answer("rss", residentBytes());
        Fork.answer("jvm", jvmBytes());
        Fork.answer("malloc_free", Native.mallocFreeBytes());
    }

    /** The resident memory that no file backs. All of the heap is resident from the beginning. */
    private static double residentBytes() throws IOException {
        return kibibytes(Files.readString(Path.of("/proc/self/status")), "RssAnon:\\s*(\\d+) kB");
    }

    /** The committed memory that the JVM counts, the heap included. */
    private static double jvmBytes() throws JMException {
        String account = DiagnosticCommand.run("vmNativeMemory", "summary");
        return kibibytes(account, "Total: .*committed=(\\d+)KB");
    }

    private static double kibibytes(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException(pattern + " is not in " + text);
        }
        return 1024 * Double.parseDouble(matcher.group(1));
    }
}

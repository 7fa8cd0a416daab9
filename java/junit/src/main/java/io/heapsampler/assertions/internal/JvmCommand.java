// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** The JVM's diagnostic commands, which jcmd runs from outside. */
final class JvmCommand {

    private static final long PAUSE_NANOS = 2_000_000;
    private static final long LONGEST_NANOS = 5_000_000_000L;

    private JvmCommand() {}

    /**
     * Runs a command without arguments.
     *
     * @param operation its name as an operation of the MBean: {@code gcClassHistogram} for {@code
     *     GC.class_histogram}
     * @return what it prints; null if the JVM is not HotSpot, runs without jdk.management or
     *     forbids it
     */
    static @Nullable String run(String operation) {
        try {
            Object text =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    operation,
                                    new Object[] {new String[0]},
                                    new String[] {String[].class.getName()});
            return String.valueOf(text);
        } catch (JMException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    /**
     * Waits until the JVM's compilers have nothing more to do, or for a while. A busy machine may
     * keep a compiler from its work for seconds, in which its time does not grow either; so the JVM
     * is queried for outstanding compilations. Where that is impossible, there is no wait.
     */
    static void awaitCompilers() throws NotMeasuredException {
        Aside.call(
                () -> {
                    long start = System.nanoTime();
                    String queue = run("compilerQueue");
                    while (queue != null
                            && !isQueueEmpty(queue)
                            && System.nanoTime() - start < LONGEST_NANOS) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                        queue = run("compilerQueue");
                    }
                    return null;
                });
    }

    /**
     * Is there nothing to compile?
     *
     * @param queue headings that end with a colon, and below each what is compiled or waits for it
     */
    static boolean isQueueEmpty(String queue) {
        return queue.lines()
                .map(String::strip)
                .allMatch(line -> line.isEmpty() || line.endsWith(":") || line.equals("Empty"));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** The JVM's diagnostic commands, which jcmd runs from outside. */
final class JvmCommand {

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
}

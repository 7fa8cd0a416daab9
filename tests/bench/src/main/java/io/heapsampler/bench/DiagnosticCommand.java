// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** A command of {@code jcmd}, to this JVM. */
final class DiagnosticCommand {

    private DiagnosticCommand() {}

    /** Returns what the command prints. */
    static String run(String command, String... arguments) throws JMException {
        return (String)
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                command,
                                new Object[] {arguments},
                                new String[] {String[].class.getName()});
    }
}

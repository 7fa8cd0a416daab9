// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.lang.management.ManagementFactory;
import javax.management.ObjectName;

/** Counts the connections that the JDK's servers of this JVM have not forgotten. */
final class Connections {

    private Connections() {}

    static long count() throws Exception {
        Object histogram =
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "gcClassHistogram",
                                new Object[] {new String[0]},
                                new String[] {String[].class.getName()});
        return histogram
                .toString()
                .lines()
                .filter(line -> line.contains("sun.net.httpserver.HttpConnection "))
                .mapToLong(line -> Long.parseLong(line.trim().split(" +")[1]))
                .sum();
    }
}

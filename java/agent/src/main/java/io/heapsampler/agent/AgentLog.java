// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;

/**
 * What the agent has to say, through {@link System.Logger}. Nothing, if all goes well. The logger
 * is looked up when there is something to say: before the application has set up its logging, that
 * could take the place of what it wants.
 */
final class AgentLog {

    private static final String NAME = "io.heapsampler.agent";
    private static final int MOST = 100;

    /** Guarded by itself. */
    private static final Set<String> SAID = new HashSet<>();

    private AgentLog() {}

    static void error(String message) {
        System.getLogger(NAME).log(Level.ERROR, message);
    }

    static void warn(String message) {
        System.getLogger(NAME).log(Level.WARNING, message);
    }

    /** Says a thing that may come again and again just once. */
    static void warnOnce(String message) {
        synchronized (SAID) {
            if (SAID.size() >= MOST || !SAID.add(message)) {
                return;
            }
        }
        warn(message);
    }
}

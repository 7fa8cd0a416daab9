// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;

/**
 * What the agent has to say, through {@link System.Logger}. Nothing, if all goes well. The logger
 * is looked up when there is something to say: before the application has set up its logging, that
 * could take the place of what it wants. While the JVM ends, the standard error takes the place of
 * the JDK's own logging.
 */
final class AgentLog {

    private static final String NAME = "io.heapsampler.agent";
    private static final int MOST = 100;

    /** Where the classes of the JDK's own logging are. */
    private static final String OF_JDK = "sun.util.logging.";

    private static volatile boolean isEnding;

    /** Guarded by itself. */
    private static final Set<String> SAID = new HashSet<>();

    private AgentLog() {}

    static void error(String message) {
        log(Level.ERROR, message);
    }

    static void warn(String message) {
        log(Level.WARNING, message);
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

    /** Sees to it that a thread of the agent never ends in a handler of the application's. */
    static Thread guarded(Thread thread) {
        thread.setUncaughtExceptionHandler(
                (ended, e) -> error("The thread " + ended.getName() + " has ended: " + e + "."));
        return thread;
    }

    /**
     * The JVM is ending. The JDK's own logging then closes its handlers, in a hook beside ours:
     * messages to it are lost, now or a moment later.
     */
    static void expectEnd() {
        isEnding = true;
    }

    /** Throws nothing: where the logging is broken, the standard error must do. */
    private static void log(Level level, String message) {
        try {
            System.Logger logger = System.getLogger(NAME);
            if (isEnding && logger.getClass().getName().startsWith(OF_JDK)) {
                System.err.println(level + ": " + message);
            } else {
                logger.log(level, message);
            }
        } catch (RuntimeException | Error e) {
            try {
                System.err.println(message);
            } catch (RuntimeException | Error worse) {
                // There is no output left to report to.
            }
        }
    }
}

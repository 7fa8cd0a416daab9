// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;

/**
 * The agent's messages, through {@link System.Logger}; none if all goes well. The logger is looked
 * up for each message: an early lookup could preempt the logging setup of the application. While
 * the JVM ends, standard error replaces the JDK's own logging. No method throws. Thread-safe.
 */
final class AgentLog {

    private static final String NAME = "io.heapsampler.agent";
    private static final String JDK_LOGGING = "sun.util.logging.";
    private static final int MAX_REMEMBERED = 100;

    private static volatile boolean isEnding;

    /** Guarded by itself. */
    private static final Set<String> LOGGED = new HashSet<>();

    private AgentLog() {}

    static void error(String message) {
        log(Level.ERROR, message);
    }

    static void warn(String message) {
        log(Level.WARNING, message);
    }

    /** Logs a message that may come again and again only once. */
    static void warnOnce(String message) {
        synchronized (LOGGED) {
            if (LOGGED.size() >= MAX_REMEMBERED || !LOGGED.add(message)) {
                return;
            }
        }
        warn(message);
    }

    /** Logs the exception that ends a thread, instead of a handler of the application. */
    static Thread guarded(Thread thread) {
        thread.setUncaughtExceptionHandler(
                (ended, e) -> error("The thread " + ended.getName() + " has ended: " + e + "."));
        return thread;
    }

    /**
     * Announces the end of the JVM. The JDK's own logging closes its handlers in a concurrent hook;
     * messages to it may be lost from now on.
     */
    static void expectEnd() {
        isEnding = true;
    }

    private static void log(Level level, String message) {
        try {
            System.Logger logger = System.getLogger(NAME);
            if (isEnding && logger.getClass().getName().startsWith(JDK_LOGGING)) {
                System.err.println(level + ": " + message);
            } else {
                logger.log(level, message);
            }
        } catch (RuntimeException | Error e) {
            try {
                System.err.println(message); // The logging of the application is broken.
            } catch (RuntimeException | Error worse) {
                // There is no output left to report to.
            }
        }
    }
}

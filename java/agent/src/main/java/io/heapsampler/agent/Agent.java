// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.agent.OptionReader.OptionException;
import io.heapsampler.agent.OptionReader.Placeholders;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The agent's entry points for the JVM: {@code -javaagent:heapsampler.jar=flame.properties}, or
 * attaching to a running JVM. README, "The agent", has its options.
 *
 * <p>No failure ends the application: nothing is thrown, and messages go to the logger {@code
 * io.heapsampler.agent}. Thread-safe.
 */
public final class Agent {

    private static final String REFUSAL = "HeapSampler does not sample: ";
    private static final Object LOCK = new Object();

    private static @Nullable RunningAgent running;
    private static boolean isEnding;

    private Agent() {}

    /**
     * Called by the JVM before {@code main}.
     *
     * @param argument the text after {@code =}; null for nothing
     * @param instrumentation of the JVM
     */
    public static void premain(@Nullable String argument, Instrumentation instrumentation) {
        guarded(instrumentation, () -> logComplaint(start(argument)));
    }

    /**
     * Called by the JVM when the agent is attached.
     *
     * @param argument options, or the address of a command line; null for nothing
     * @param instrumentation of the JVM
     */
    public static void agentmain(@Nullable String argument, Instrumentation instrumentation) {
        if (argument != null && argument.startsWith(Session.MARK)) {
            guarded(instrumentation, () -> Session.begin(argument));
        } else {
            premain(argument, instrumentation);
        }
    }

    private static void logComplaint(@Nullable String complaint) {
        if (complaint != null) {
            AgentLog.error(complaint);
        }
    }

    /** Logs an exception, which would otherwise end the application. */
    private static void guarded(Instrumentation instrumentation, Runnable entry) {
        try {
            openCore(instrumentation);
            entry.run();
        } catch (RuntimeException | Error e) {
            try {
                AgentLog.error(refusal(e));
            } catch (RuntimeException | Error worse) {
                // No memory is left for a message.
            }
        }
    }

    /** If the application has HeapSampler as a module, it exports this package to modules alone. */
    private static void openCore(Instrumentation instrumentation) {
        Module core = HeapSampler.class.getModule();
        if (core.isNamed()) {
            Set<Module> agent = Set.of(Agent.class.getModule());
            Map<String, Set<Module>> exports = Map.of("io.heapsampler.internal.shared", agent);
            instrumentation.redefineModule(core, Set.of(), exports, Map.of(), Set.of(), Map.of());
        }
    }

    /** Starts the agent; returns the reason for a failure, or null. */
    static @Nullable String start(@Nullable String argument) {
        try {
            return start(argument, System.getProperties(), System.getenv());
        } catch (SecurityException e) {
            return refusal(e);
        }
    }

    /** Starts the agent with the given properties and environment. */
    static @Nullable String start(
            @Nullable String argument, Properties properties, Map<String, String> environment) {
        try {
            requireSameVersion();
            return start(
                    new AgentOptions(
                            OptionReader.read(
                                    argument, properties, environment, Placeholders.now())));
        } catch (RuntimeException | Error e) {
            return refusal(e);
        }
    }

    private static String refusal(Throwable e) {
        if (e instanceof OptionException) {
            return REFUSAL
                    + e.getMessage()
                    + " Correct it and start again; see README, \"The agent\".";
        }
        if (e instanceof LinkageError) {
            return REFUSAL
                    + "its classes do not fit together ("
                    + e
                    + "). Look for another version of HeapSampler on the class path.";
        }
        if (e instanceof SecurityException) {
            return REFUSAL
                    + "the security manager forbids it ("
                    + e.getMessage()
                    + "). Grant the agent's jar java.security.AllPermission.";
        }
        return REFUSAL + e;
    }

    private static @Nullable String start(AgentOptions options) {
        synchronized (LOCK) {
            if (running != null) {
                return "An agent of HeapSampler is running in this JVM already. End it first:"
                        + " java -jar heapsampler.jar detach "
                        + ProcessHandle.current().pid();
            }
            try {
                running = RunningAgent.start(options);
                return null;
            } catch (IOException
                    | HeapSamplingUnavailableException
                    | IllegalArgumentException
                    | IllegalStateException
                    | UnsupportedOperationException e) {
                return REFUSAL + e.getMessage();
            }
        }
    }

    /** Ends the agent; returns the reason for a failure, or null. */
    static @Nullable String detach() {
        RunningAgent ending;
        synchronized (LOCK) {
            if (running == null) {
                return "No agent of HeapSampler is running in this JVM. Nothing was done.";
            }
            if (isEnding) {
                return "The agent of HeapSampler in this JVM is ending already. Nothing was done.";
            }
            isEnding = true;
            ending = running;
        }
        try {
            ending.detach(); // writes files, so not under the lock
            return null;
        } finally {
            synchronized (LOCK) {
                running = null;
                isEnding = false;
            }
        }
    }

    /** The class path comes before the agent's jar, and may have classes of another version. */
    private static void requireSameVersion() {
        String own = version(Agent.class, "agent.properties");
        String core = version(HeapSampler.class, "/META-INF/heapsampler/core.properties");
        if (!own.equals(core)) {
            throw new OptionException(
                    """
                    the agent has version %s, but heapsampler-core on the class path has \
                    version %s, and there can be one only. Use the agent of that version.\
                    """
                            .formatted(own, core));
        }
    }

    private static String version(Class<?> owner, String resource) {
        Properties properties = new Properties();
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // The version stays unknown.
        }
        return properties.getProperty("version", "unknown");
    }
}

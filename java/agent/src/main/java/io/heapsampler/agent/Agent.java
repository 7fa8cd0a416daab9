// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
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

    /** A request that the agent refuses; the message is complete. */
    static final class Refusal extends IllegalStateException {

        private static final long serialVersionUID = 1;

        Refusal(String message) {
            super(message);
        }
    }

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
        guarded(instrumentation, () -> start(argument));
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

    /** Logs an exception, which would otherwise end the application. */
    private static void guarded(Instrumentation instrumentation, Runnable entry) {
        try {
            openCore(instrumentation);
            entry.run();
        } catch (RuntimeException | Error e) {
            try {
                AgentLog.error(String.valueOf(refusal(e).getMessage()));
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

    /** Starts the agent. A failure is a {@link Refusal}. */
    static void start(@Nullable String argument) {
        try {
            start(argument, System.getProperties(), System.getenv());
        } catch (SecurityException e) {
            throw refusal(e);
        }
    }

    /** Starts the agent with the given properties and environment. */
    static void start(
            @Nullable String argument, Properties properties, Map<String, String> environment) {
        try {
            requireSameVersion();
            start(
                    new AgentOptions(
                            OptionReader.read(
                                    argument, properties, environment, Placeholders.now())));
        } catch (RuntimeException | Error e) {
            throw refusal(e);
        }
    }

    private static void start(AgentOptions options) {
        synchronized (LOCK) {
            if (running != null) {
                throw new Refusal(
                        "An agent of HeapSampler is running in this JVM already. End it first:"
                                + " java -jar heapsampler.jar detach "
                                + ProcessHandle.current().pid());
            }
            try {
                running = RunningAgent.start(options);
            } catch (IOException
                    | HeapSamplingUnavailableException
                    | IllegalArgumentException
                    | IllegalStateException
                    | UnsupportedOperationException e) {
                throw new Refusal(REFUSAL + e.getMessage());
            }
        }
    }

    private static Refusal refusal(Throwable e) {
        if (e instanceof Refusal known) {
            return known;
        }
        String reason = e.toString();
        if (e instanceof IllegalArgumentException) {
            reason = e.getMessage() + " Correct it and start again; see README, \"The agent\".";
        } else if (e instanceof LinkageError) {
            reason =
                    "its classes do not fit together (%s). Look for another version of HeapSampler"
                                    .formatted(e)
                            + " on the class path.";
        } else if (e instanceof SecurityException) {
            reason =
                    "the security manager forbids it (%s). Grant the agent's jar"
                                    .formatted(e.getMessage())
                            + " java.security.AllPermission.";
        }
        return new Refusal(REFUSAL + reason);
    }

    /** Ends the agent. A failure is a {@link Refusal}. */
    static void detach() {
        RunningAgent ending;
        synchronized (LOCK) {
            if (running == null) {
                throw new Refusal(
                        "No agent of HeapSampler is running in this JVM. Nothing was done.");
            }
            if (isEnding) {
                throw new Refusal(
                        "The agent of HeapSampler in this JVM is ending already. Nothing was"
                                + " done.");
            }
            isEnding = true;
            ending = running;
        }
        try {
            ending.detach(); // writes files, so not under the lock
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
            throw new IllegalArgumentException(
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.agent.OptionValues.Placeholders;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the JVM enters the agent: {@code -javaagent:heapsampler.jar=flame.properties}, or by
 * attaching to a running JVM. README, "The agent", has its options.
 *
 * <p>Whatever is wrong, the application runs on: nothing is thrown, and what is to be said goes to
 * the logger {@code io.heapsampler.agent}. Safe for use by many threads.
 */
public final class Agent {

    private static final Object LOCK = new Object();

    private static @Nullable RunningAgent running;
    private static boolean isEnding;

    private Agent() {}

    /**
     * Called by the JVM before {@code main}.
     *
     * @param argument what stands after {@code =}; null for nothing
     * @param instrumentation of the JVM
     */
    public static void premain(@Nullable String argument, Instrumentation instrumentation) {
        guarded(
                () -> {
                    openCore(instrumentation);
                    String complaint = start(argument);
                    if (complaint != null) {
                        AgentLog.error(complaint);
                    }
                });
    }

    /**
     * Called by the JVM when the agent is attached.
     *
     * @param argument options, or who wants to talk to the agent; null for nothing
     * @param instrumentation of the JVM
     */
    public static void agentmain(@Nullable String argument, Instrumentation instrumentation) {
        if (argument != null && Session.isMeant(argument)) {
            guarded(
                    () -> {
                        openCore(instrumentation);
                        Session.begin(argument);
                    });
        } else {
            premain(argument, instrumentation);
        }
    }

    /** The application may have HeapSampler as a module, which exports this to modules alone. */
    private static void openCore(Instrumentation instrumentation) {
        Module core = HeapSampler.class.getModule();
        if (core.isNamed()) {
            Set<Module> agent = Set.of(Agent.class.getModule());
            Map<String, Set<Module>> exports = Map.of("io.heapsampler.internal.shared", agent);
            instrumentation.redefineModule(core, Set.of(), exports, Map.of(), Set.of(), Map.of());
        }
    }

    /** What were thrown at the JVM would end the application. */
    private static void guarded(Runnable entry) {
        try {
            entry.run();
        } catch (RuntimeException | Error e) {
            try {
                AgentLog.error(refusal(e));
            } catch (RuntimeException | Error worse) {
                // No memory for words.
            }
        }
    }

    /** Starts the agent; returns what was wrong, or null. */
    static @Nullable String start(@Nullable String argument) {
        try {
            return start(argument, System.getProperties(), System.getenv());
        } catch (SecurityException e) {
            return refusal(e);
        }
    }

    /** Starts the agent with what its surroundings say. */
    static @Nullable String start(
            @Nullable String argument, Properties properties, Map<String, String> environment) {
        try {
            requireSameVersion();
            OptionValues values =
                    new OptionValues(
                            OptionReader.read(argument, properties, environment),
                            Placeholders.now());
            return start(new AgentOptions(values));
        } catch (OptionException e) {
            return "HeapSampler does not sample: "
                    + e.getMessage()
                    + " Correct it and start again; see README, \"The agent\".";
        } catch (LinkageError e) {
            return "HeapSampler does not sample: its classes do not fit together ("
                    + e
                    + "). Look for another version of HeapSampler on the class path.";
        } catch (RuntimeException | Error e) {
            return refusal(e);
        }
    }

    private static String refusal(Throwable e) {
        if (e instanceof SecurityException) {
            return "HeapSampler does not sample: the security manager forbids it ("
                    + e.getMessage()
                    + "). Grant the agent's jar java.security.AllPermission.";
        }
        return "HeapSampler does not sample: " + e;
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
                return "HeapSampler does not sample: " + e.getMessage();
            }
        }
    }

    /** Ends the agent; returns what was wrong, or null. */
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
            ending.detach(); // writes files; no other thread is to wait for them
            return null;
        } finally {
            synchronized (LOCK) {
                running = null;
                isEnding = false;
            }
        }
    }

    /** The class path comes before the agent's jar, and may have classes of another version. */
    private static void requireSameVersion() throws OptionException {
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
            // Unknown, then.
        }
        return properties.getProperty("version", "unknown");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapSampler;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Where the JVM enters the agent: {@code -javaagent:heapsampler-agent.jar=flame.properties}, or by
 * attaching to a JVM that runs. README, "The agent", has its options.
 *
 * <p>Whatever is wrong, the application runs on: nothing is thrown, and what is to be said goes to
 * the logger {@code io.heapsampler.agent}. Safe for use by many threads.
 */
public final class Agent {

    private static final Object LOCK = new Object();

    private static @Nullable RunningAgent running;

    private Agent() {}

    /**
     * Called by the JVM before {@code main}.
     *
     * @param argument what stands after {@code =}; null for nothing
     */
    public static void premain(@Nullable String argument) {
        String complaint = start(argument);
        if (complaint != null) {
            AgentLog.error(complaint);
        }
    }

    /**
     * Called by the JVM when the agent is attached.
     *
     * @param argument options, or who wants to talk to the agent; null for nothing
     */
    public static void agentmain(@Nullable String argument) {
        if (argument != null && Session.isMeant(argument)) {
            Session.begin(argument);
        } else {
            premain(argument);
        }
    }

    /** Starts the agent; returns what was wrong, or null. */
    static @Nullable String start(@Nullable String argument) {
        try {
            requireSameVersion();
            OptionValues values =
                    new OptionValues(
                            OptionReader.read(argument, System.getProperties(), System.getenv()),
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
        }
    }

    private static @Nullable String start(AgentOptions options) {
        synchronized (LOCK) {
            if (running != null) {
                return "An agent of HeapSampler is at work in this JVM already. End it first:"
                        + " java -jar heapsampler-agent.jar detach "
                        + ProcessHandle.current().pid();
            }
            try {
                running = RunningAgent.start(options);
                return null;
            } catch (IOException | RuntimeException e) {
                // What is thrown out of here would end the application.
                return "HeapSampler does not sample: " + e.getMessage();
            }
        }
    }

    /** Ends the agent; returns what was wrong, or null. */
    static @Nullable String detach() {
        synchronized (LOCK) {
            if (running == null) {
                return "No agent of HeapSampler is at work in this JVM. Nothing was done.";
            }
            running.detach();
            running = null;
            return null;
        }
    }

    /** The class path comes before the agent's jar, and may have classes of another version. */
    private static void requireSameVersion() throws OptionException {
        String own = version(Agent.class, "agent.properties");
        String core = version(HeapSampler.class, "internal/version.properties");
        if (!own.equals(core)) {
            throw new OptionException(
                    "the agent has version "
                            + own
                            + ", but heapsampler-core on the class path has version "
                            + core
                            + ", and there can be one only. Use the agent of that version.");
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

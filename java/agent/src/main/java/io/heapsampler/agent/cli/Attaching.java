// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;

/**
 * Loads the agent into a running JVM. In a class of its own, because a Java runtime may lack the
 * module {@code jdk.attach}.
 */
final class Attaching {

    private static final int FIRST_WITH_WARNING = 21;

    private Attaching() {}

    private static VirtualMachine machine(String pid) throws FailureException {
        try {
            return VirtualMachine.attach(pid);
        } catch (AttachNotSupportedException | IOException e) {
            throw new FailureException(
                    """
                    Cannot attach to process %s: %s. It must be a running JVM, without \
                    -XX:+DisableAttachMechanism, of the same user and in the same container. \
                    jps lists the reachable JVMs.\
                    """
                            .formatted(pid, e.getMessage()),
                    e);
        }
    }

    /**
     * Loads this program's jar as an agent into a JVM.
     *
     * @param err for a note about the warnings that the JVM prints
     */
    static void load(String pid, String argument, PrintWriter err)
            throws IOException, FailureException {
        VirtualMachine machine = machine(pid);
        try {
            warn(machine, err);
            machine.loadAgent(jar().toString(), argument);
        } catch (AgentLoadException | AgentInitializationException e) {
            throw new FailureException(
                    """
                    Process %s did not load the agent: %s. Was it started with \
                    -XX:-EnableDynamicAgentLoading (JEP 451)? Then start it with -javaagent \
                    instead. It must be able to read %s.\
                    """
                            .formatted(pid, e.getMessage(), jar()),
                    e);
        } finally {
            machine.detach();
        }
    }

    /** Announces the warnings on the standard error of the JVM, and how to avoid them. */
    private static void warn(VirtualMachine machine, PrintWriter err) throws IOException {
        String version = machine.getSystemProperties().getProperty("java.specification.version");
        int feature = version == null ? 0 : featureOf(version);
        if (feature >= FIRST_WITH_WARNING) {
            err.println(
                    "Note: this JVM warns on its standard error that an agent was loaded (JEP 451);"
                            + " -XX:+EnableDynamicAgentLoading at its start avoids that."
                            + (feature >= 24
                                    ? " It may also warn of native access (JEP 472);"
                                            + " --enable-native-access=ALL-UNNAMED avoids that."
                                    : ""));
        }
    }

    private static int featureOf(String version) {
        try {
            return Integer.parseInt(version);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static Path jar() throws FailureException {
        CodeSource source = Target.class.getProtectionDomain().getCodeSource();
        try {
            if (source != null) {
                return Path.of(source.getLocation().toURI());
            }
        } catch (URISyntaxException e) {
            throw new FailureException("This program does not know its jar: " + e + ".", e);
        }
        throw new FailureException("This program does not know its jar. Run it with java -jar.");
    }
}

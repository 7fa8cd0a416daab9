// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.agent.HeldByRequest;
import io.heapsampler.agent.Session;
import io.heapsampler.agent.cli.CliCommand.FailureException;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The connection to an attached JVM; {@link Session} is the other end. */
final class Target implements AutoCloseable {

    private static final int SECRET_BYTES = 16;

    /** A version, a length and a secret. */
    private static final int GREETING_BYTES = 4 + 2 + 2 * SECRET_BYTES;

    private static final long GREETING_NANOS = 5_000_000_000L;
    private static final long CONNECT_NANOS = 30_000_000_000L;

    /** A forced collection of a large heap, or the last writing of an agent, takes less. */
    private static final int REPLY_MILLIS = 300_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** Whether a request has no reply yet. */
    private volatile boolean isWaiting;

    /**
     * The secrets by which the two sides recognise each other.
     *
     * @param ofAgent sent by the agent
     * @param own sent by this program
     */
    record Secrets(String ofAgent, String own) {}

    private Target(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(REPLY_MILLIS);
        this.in = new DataInputStream(socket.getInputStream());
        this.out = new DataOutputStream(socket.getOutputStream());
    }

    /**
     * Attaches to a JVM, which loads this program's jar as an agent.
     *
     * @param pid its process id
     * @param err for a note about the warnings that the JVM prints
     */
    static Target attach(String pid, PrintWriter err) throws FailureException {
        if (ModuleLayer.boot().findModule("jdk.attach").isEmpty()) {
            throw new FailureException(
                    """
                    This Java runtime cannot attach to a JVM: it lacks the module jdk.attach. Run \
                    this command with a JDK of version 17 or later, or add the module to the \
                    runtime (jlink --add-modules jdk.attach).\
                    """);
        }
        Secrets secrets = new Secrets(secret(), secret());
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            String argument =
                    Session.argument(server.getLocalPort(), secrets.ofAgent(), secrets.own());
            AgentLoader.load(pid, argument, err);
            return accept(server, pid, secrets);
        } catch (IOException e) {
            throw new FailureException("Cannot talk with process " + pid + ": " + e + ".", e);
        }
    }

    private static String secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Waits for the agent. Other programs that connect do not know the secret and are rejected. */
    static Target accept(ServerSocket server, String pid, Secrets secrets)
            throws IOException, FailureException {
        long end = System.nanoTime() + CONNECT_NANOS;
        try {
            while (true) {
                server.setSoTimeout(millisUntil(end));
                Target target = checked(server.accept(), secrets, pid);
                if (target != null) {
                    return target;
                }
            }
        } catch (SocketTimeoutException e) {
            throw new FailureException(
                    """
                    Process %s has loaded the agent, but does not answer. Is it in this network \
                    namespace, and not stopped?\
                    """
                            .formatted(pid),
                    e);
        }
    }

    private static int millisUntil(long end) throws SocketTimeoutException {
        long millis = (end - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
            throw new SocketTimeoutException("too slow");
        }
        return (int) millis;
    }

    private static @Nullable Target checked(Socket socket, Secrets secrets, String pid)
            throws FailureException {
        boolean isAgent = false;
        try {
            DataInputStream greeting = greeting(socket);
            int version = greeting.readInt();
            byte[] shown = greeting.readUTF().getBytes(StandardCharsets.UTF_8);
            isAgent =
                    MessageDigest.isEqual(
                            shown, secrets.ofAgent().getBytes(StandardCharsets.UTF_8));
            if (isAgent && version == Session.VERSION) {
                Target target = new Target(socket);
                target.out.writeUTF(secrets.own());
                target.out.flush();
                return target;
            }
        } catch (IOException e) {
            isAgent = false;
        }
        close(socket);
        if (isAgent) {
            throw new FailureException(
                    "Process %s has an agent of another version. Use the jar of that version."
                            .formatted(pid));
        }
        return null;
    }

    /** Reads the greeting of an agent, with one time limit for all of its bytes. */
    private static DataInputStream greeting(Socket socket) throws IOException {
        byte[] greeting = new byte[GREETING_BYTES];
        long end = System.nanoTime() + GREETING_NANOS;
        for (int length = 0, more; length < greeting.length; length += more) {
            socket.setSoTimeout(millisUntil(end));
            more = socket.getInputStream().read(greeting, length, greeting.length - length);
            if (more < 0) {
                throw new EOFException("too short");
            }
        }
        return new DataInputStream(new ByteArrayInputStream(greeting));
    }

    /** Sends a request and returns the reply. */
    byte[] ask(String request) throws FailureException {
        isWaiting = true;
        try {
            out.writeUTF(request);
            out.flush();
            boolean isDone = in.readByte() == 0;
            byte[] reply = in.readNBytes(in.readInt());
            if (!isDone) {
                throw new FailureException(new String(reply, StandardCharsets.UTF_8));
            }
            return reply;
        } catch (EOFException e) {
            throw new FailureException("The JVM has ended.", e);
        } catch (IOException e) {
            throw new FailureException("The JVM does not answer any more: " + e + ".", e);
        } finally {
            isWaiting = false;
        }
    }

    /** Returns whether a request has no reply yet. For any thread. */
    boolean isWaiting() {
        return isWaiting;
    }

    /** Takes a snapshot of the recording of this connection, else of the sampler of the JVM. */
    HeapSnapshot snapshot(boolean isAfterGc) throws FailureException {
        return read(ask(isAfterGc ? "collected" : "snapshot"));
    }

    /** Searches the holders of live objects among the samples of the sampler of the JVM. */
    HeldBy heldBy(HeldByRequest request) throws FailureException {
        return read(ask("heldby " + request.line()))
                .heldBy()
                .orElseThrow(
                        () -> new FailureException("The JVM sent a snapshot without holders."));
    }

    private static HeapSnapshot read(byte[] block) throws FailureException {
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(block));
        } catch (IOException e) {
            throw new FailureException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is useless anyway.
        }
    }

    /**
     * Loads the agent into a running JVM. In a class of its own because a Java runtime may lack the
     * module {@code jdk.attach}.
     */
    private static final class AgentLoader {

        private static final int FIRST_WITH_WARNING = 21;
        private static final int FIRST_WITH_NATIVE_WARNING = 24;

        /** Loads this program's jar, and prints a note about the warnings of the JVM. */
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

        private static void warn(VirtualMachine machine, PrintWriter err) throws IOException {
            String version =
                    String.valueOf(machine.getSystemProperties().get("java.specification.version"));
            int feature = version.matches("\\d{1,4}") ? Integer.parseInt(version) : 0;
            if (feature >= FIRST_WITH_WARNING) {
                String nativeNote =
                        feature < FIRST_WITH_NATIVE_WARNING
                                ? ""
                                : " It may also warn of native access (JEP 472);"
                                        + " --enable-native-access=ALL-UNNAMED avoids that.";
                err.println(
                        """
                        Note: this JVM warns on its standard error that an agent was loaded (JEP \
                        451); -XX:+EnableDynamicAgentLoading at its start avoids that.\
                        """
                                + nativeNote);
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
            throw new FailureException(
                    "This program does not know its jar. Run it with java -jar.");
        }
    }
}

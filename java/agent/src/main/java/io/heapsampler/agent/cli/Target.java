// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.agent.Session;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The connection to an attached JVM; {@link Session} is the other end. */
final class Target implements AutoCloseable {

    private static final int SECRET_BYTES = 16;

    /** A version, a length and a secret. */
    private static final int GREETING_BYTES = 4 + 2 + 2 * SECRET_BYTES;

    private static final int ANSWER_MILLIS = 5_000;
    private static final int CONNECT_MILLIS = 30_000;

    /** A forced collection of a large heap, or the last writing of an agent, takes less. */
    private static final int REPLY_MILLIS = 300_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** Whether a reply is being waited for. */
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
                    "This Java runtime cannot attach to a JVM: it lacks the module jdk.attach. Run"
                            + " this command with a JDK of version 17 or later, or add the module"
                            + " to the runtime (jlink --add-modules jdk.attach).");
        }
        Secrets secrets = new Secrets(secret(), secret());
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(loopback, 0));
            String argument =
                    Session.MARK
                            + loopback.getHostAddress()
                            + " "
                            + server.getLocalPort()
                            + " "
                            + secrets.ofAgent()
                            + " "
                            + secrets.own();
            Attaching.load(pid, argument, err);
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
        long end = System.nanoTime() + CONNECT_MILLIS * 1_000_000L;
        while (true) {
            long rest = (end - System.nanoTime()) / 1_000_000;
            if (rest <= 0) {
                throw noAnswer(pid);
            }
            server.setSoTimeout((int) rest);
            try {
                Target target = checked(server.accept(), secrets, pid);
                if (target != null) {
                    return target;
                }
            } catch (SocketTimeoutException e) {
                throw noAnswer(pid);
            }
        }
    }

    private static FailureException noAnswer(String pid) {
        return new FailureException(
                """
                Process %s has loaded the agent, but does not answer. Is it in this network \
                namespace, and not stopped?\
                """
                        .formatted(pid));
    }

    private static @Nullable Target checked(Socket socket, Secrets secrets, String pid)
            throws FailureException {
        try {
            DataInputStream greeting = new DataInputStream(greeting(socket));
            int version = greeting.readInt();
            byte[] shown = bytes(greeting.readUTF());
            if (!MessageDigest.isEqual(shown, bytes(secrets.ofAgent()))) {
                close(socket);
                return null;
            }
            if (version == Session.VERSION) {
                Target target = new Target(socket);
                target.out.writeUTF(secrets.own());
                target.out.flush();
                return target;
            }
        } catch (IOException e) {
            close(socket);
            return null;
        }
        close(socket);
        throw new FailureException(
                "Process "
                        + pid
                        + " has an agent of another version. Use the jar of that version.");
    }

    /** Reads the greeting of an agent, within a time limit for all of it. */
    private static InputStream greeting(Socket socket) throws IOException {
        byte[] greeting = new byte[GREETING_BYTES];
        long end = System.nanoTime() + ANSWER_MILLIS * 1_000_000L;
        int length = 0;
        while (length < greeting.length) {
            long rest = (end - System.nanoTime()) / 1_000_000;
            if (rest <= 0) {
                throw new SocketTimeoutException("too slow");
            }
            socket.setSoTimeout((int) rest);
            int more = socket.getInputStream().read(greeting, length, greeting.length - length);
            if (more < 0) {
                throw new EOFException("too short");
            }
            length += more;
        }
        socket.setSoTimeout(0);
        return new ByteArrayInputStream(greeting);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
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

    /** Returns whether a request is without its reply. For any thread. */
    boolean isWaiting() {
        return isWaiting;
    }

    /** Takes a snapshot of the recording, or else of the sampler of the JVM. */
    HeapSnapshot snapshot(boolean isAfterGc) throws FailureException {
        byte[] block = ask(isAfterGc ? "collected" : "snapshot");
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
            // The connection is of no use any more.
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldByOptions;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.agent.AgentDoctor.SessionDoctor;
import io.heapsampler.internal.shared.DaemonThreads;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a command line that has attached to this JVM. The command line listens on a port
 * of the loopback address, and passes the port and two secrets of 128 bits with the request to
 * attach, which only the owner of this process, or root, can make. The agent connects to that port
 * and sends its version and the first secret. The command line replies with the second, so that a
 * process that has taken over the port gets nothing. Nothing is written to disk, and no other
 * process learns the secrets.
 *
 * <p>The command line then sends requests as texts. Each reply is a byte, 0 for success and 1 for a
 * refusal, a length, and a snapshot block or a text. When the connection ends, the session ends its
 * recording and doctor, but not an agent that it has started.
 */
public final class Session implements Runnable {

    /** Begins the argument of the agent, instead of options. */
    public static final String MARK = "@session ";

    /** Changes with the protocol. */
    public static final int VERSION = 3;

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int MAX_REPLY = Integer.MAX_VALUE - 8;

    private final InetSocketAddress address;
    private final String secret;
    private final String secretOfOther;
    private @Nullable HeapRecording recording;
    private @Nullable SessionDoctor doctor;

    private Session(InetSocketAddress address, String secret, String secretOfOther) {
        this.address = address;
        this.secret = secret;
        this.secretOfOther = secretOfOther;
    }

    /** Returns the argument that makes an agent connect to a port of the loopback address. */
    public static String argument(int port, String secretOfAgent, String secretOfOther) {
        String address = InetAddress.getLoopbackAddress().getHostAddress();
        return MARK + String.join(" ", address, "" + port, secretOfAgent, secretOfOther);
    }

    /** Begins a session in its own thread. */
    static void begin(String argument) {
        String[] words = argument.substring(MARK.length()).split(" ", -1);
        try {
            InetSocketAddress address = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
            Session session = new Session(address, words[2], words[3]);
            AgentLog.guarded(DaemonThreads.of(session, "heapsampler-agent-session")).start();
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            AgentLog.warn("The agent was attached with an argument that it does not understand.");
        }
    }

    @Override
    public void run() {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) { // even if the application has one
            socket.connect(address, TIMEOUT_MILLIS);
            serve(socket);
        } catch (EOFException e) {
            // The command line has closed the connection.
        } catch (IOException e) {
            AgentLog.warnOnce("The command line cannot be reached: " + e + ".");
        } finally {
            if (recording != null) {
                recording.close();
            }
            if (doctor != null) {
                doctor.close();
            }
        }
    }

    private void serve(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(VERSION);
        out.writeUTF(secret);
        out.flush();
        socket.setSoTimeout(TIMEOUT_MILLIS);
        if (!MessageDigest.isEqual(text(in.readUTF()), text(secretOfOther))) {
            throw new IOException("another program uses its port");
        }
        socket.setSoTimeout(0);
        while (true) {
            reply(in.readUTF(), out);
        }
    }

    private void reply(String request, DataOutputStream out) throws IOException {
        byte[] content;
        boolean isDone = false;
        try {
            String[] words = request.split(" ", 2);
            content = content(words[0], words.length > 1 ? words[1] : "");
            isDone = true;
        } catch (HeapSamplingUnavailableException
                | IllegalStateException
                | IllegalArgumentException
                | UnsupportedOperationException e) {
            content = text(String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            content = text("The JVM has no memory left for this. Try again later.");
        } catch (RuntimeException | Error e) {
            content = text("The agent has failed: " + e + ".");
        }
        out.writeByte(isDone ? 0 : 1);
        out.writeInt(Math.min(content.length, MAX_REPLY));
        out.write(content);
        out.flush();
    }

    private byte[] content(String verb, String argument) throws IOException {
        return switch (verb) {
            case "start" -> done(() -> Agent.start(argument));
            case "detach" -> done(Agent::detach);
            case "record" -> done(() -> record(argument));
            case "state" -> text(HeapSampler.status().state().name());
            case "snapshot" -> snapshot(SnapshotOptions.defaults());
            case "collected" -> snapshot(SnapshotOptions.afterGc());
            case "heldby" -> heldBy(HeldByRequest.of(argument).options());
            case "doctor" -> text(doctor().state());
            case "diagnosis" -> doctor().diagnosis(DoctorFormat.valueOf(argument));
            default ->
                    throw new IllegalArgumentException(
                            "The agent does not know the request \"" + verb + "\".");
        };
    }

    private static byte[] done(Runnable work) {
        work.run();
        return new byte[0];
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Opens a recording of its own, independent of all others. */
    private void record(String interval) {
        if (recording == null) {
            RecordingOptions.Builder options = RecordingOptions.builder();
            if (!interval.isEmpty()) {
                options.interval(Long.parseLong(interval));
            }
            recording = HeapSampler.record(options.build());
        }
    }

    private SessionDoctor doctor() {
        if (doctor == null) {
            doctor = new SessionDoctor();
        }
        return doctor;
    }

    private byte[] snapshot(SnapshotOptions options) throws IOException {
        HeapSnapshot snapshot =
                recording == null ? HeapSampler.snapshot(options) : recording.snapshot(options);
        if (recording == null && isWithoutSamples(snapshot)) {
            throw new IllegalStateException("Nothing is sampled in this JVM.");
        }
        return block(snapshot);
    }

    /** Searches holders among the samples of the sampler, and returns the snapshot with them. */
    private static byte[] heldBy(HeldByOptions options) throws IOException {
        if (isWithoutSamples(HeapSampler.snapshot())) {
            throw new IllegalStateException(
                    "Nothing is sampled in this JVM. Begin with the command \"attach PID\", let the"
                            + " application work, and search then.");
        }
        return block(HeapSampler.heldBy(options).snapshot());
    }

    private static boolean isWithoutSamples(HeapSnapshot snapshot) {
        return HeapSampler.status().state() != SamplerState.RUNNING
                && snapshot.totals().allocated().samples() == 0;
    }

    private static byte[] block(HeapSnapshot snapshot) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        snapshot.writeTo(block);
        return block.toByteArray();
    }
}

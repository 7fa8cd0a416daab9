// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSnapshot;
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
 * A talk of the command line with the JVM that it has attached to. The command line listens on a
 * port of the loopback address, and passes the port and two secrets of 128 bits with the request to
 * attach, which only the owner of this process, or root, can make. The agent connects to that port
 * and shows the first; the command line shows the second, so that a process that has taken over the
 * port meanwhile gets nothing. Nothing is written to disk, and no other process learns the secrets.
 *
 * <p>Then the command line sends requests, each a text, and gets for each a byte, 0 for done and 1
 * for refused, and bytes: a snapshot block, or text. When it hangs up, all that the talk has
 * started ends, except for an agent that was to stay.
 */
public final class Session implements Runnable {

    /** Begins the argument of the agent, instead of options. */
    public static final String MARK = "@session ";

    /** Changes when the two sides would not understand each other any more. */
    public static final int VERSION = 3;

    private static final int PATIENCE_MILLIS = 10_000;
    private static final int MAX_REPLY = Integer.MAX_VALUE - 8;

    private final String address;
    private final int port;
    private final String secret;
    private final String secretOfOther;
    private @Nullable HeapRecording recording;
    private @Nullable SessionDoctor doctor;

    private Session(String address, int port, String secret, String secretOfOther) {
        this.address = address;
        this.port = port;
        this.secret = secret;
        this.secretOfOther = secretOfOther;
    }

    static boolean isMeant(String argument) {
        return argument.startsWith(MARK);
    }

    /** Begins a talk, in a thread of its own. */
    static void begin(String argument) {
        String[] words = argument.substring(MARK.length()).split(" ", -1);
        try {
            Session session = new Session(words[0], Integer.parseInt(words[1]), words[2], words[3]);
            Thread thread =
                    AgentLog.guarded(DaemonThreads.of(session, "heapsampler-agent-session"));
            thread.start();
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            AgentLog.warn("The agent was attached with an argument that it does not understand.");
        }
    }

    @Override
    public void run() {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) { // whatever the application goes through
            socket.connect(
                    new InetSocketAddress(InetAddress.getByName(address), port), PATIENCE_MILLIS);
            talk(socket);
        } catch (EOFException e) {
            // The command line has hung up.
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

    private void talk(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(VERSION);
        out.writeUTF(secret);
        out.flush();
        socket.setSoTimeout(PATIENCE_MILLIS);
        if (!MessageDigest.isEqual(text(in.readUTF()), text(secretOfOther))) {
            throw new IOException("somebody else is at its port");
        }
        socket.setSoTimeout(0);
        while (true) {
            answer(in.readUTF(), out);
        }
    }

    private void answer(String request, DataOutputStream out) throws IOException {
        byte[] reply;
        boolean isDone = true;
        try {
            reply = reply(request);
        } catch (HeapSamplingUnavailableException
                | IllegalStateException
                | IllegalArgumentException
                | UnsupportedOperationException e) {
            reply = text(String.valueOf(e.getMessage()));
            isDone = false;
        } catch (OutOfMemoryError e) {
            reply = text("The JVM has no memory left for this. Try again later.");
            isDone = false;
        } catch (RuntimeException | Error e) {
            reply = text("The agent has failed: " + e + ".");
            isDone = false;
        }
        out.writeByte(isDone ? 0 : 1);
        out.writeInt(Math.min(reply.length, MAX_REPLY));
        out.write(reply);
        out.flush();
    }

    private byte[] reply(String request) throws IOException {
        int blank = request.indexOf(' ');
        String verb = blank < 0 ? request : request.substring(0, blank);
        String rest = blank < 0 ? "" : request.substring(blank + 1);
        return switch (verb) {
            case "start" -> checked(Agent.start(rest.isEmpty() ? null : rest));
            case "detach" -> checked(Agent.detach());
            case "record" -> record(rest);
            case "state" -> text(HeapSampler.status().state().name());
            case "snapshot" -> snapshot(SnapshotOptions.defaults());
            case "doctor" -> text(doctor().state());
            case "diagnosis" -> doctor().diagnosis(DoctorFormat.valueOf(rest));
            case "collected" -> snapshot(SnapshotOptions.afterGc());
            default ->
                    throw new IllegalArgumentException(
                            "The agent does not know the request \"" + verb + "\".");
        };
    }

    private static byte[] checked(@Nullable String complaint) {
        if (complaint != null) {
            throw new IllegalStateException(complaint);
        }
        return new byte[0];
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Opens a recording of its own, independent of all others. */
    private byte[] record(String interval) {
        if (recording == null) {
            RecordingOptions.Builder options = RecordingOptions.builder();
            if (!interval.isEmpty()) {
                options.interval(Long.parseLong(interval));
            }
            recording = HeapSampler.record(options.build());
        }
        return new byte[0];
    }

    private SessionDoctor doctor() {
        SessionDoctor known = doctor;
        if (known == null) {
            known = new SessionDoctor();
            doctor = known;
        }
        return known;
    }

    /** Never started, or stopped and reset since. */
    private static boolean isOfNothing(HeapSnapshot snapshot) {
        return HeapSampler.status().state() != SamplerState.RUNNING
                && snapshot.totals().allocated().samples() == 0;
    }

    private byte[] snapshot(SnapshotOptions options) throws IOException {
        HeapSnapshot snapshot =
                recording == null ? HeapSampler.snapshot(options) : recording.snapshot(options);
        if (recording == null && isOfNothing(snapshot)) {
            throw new IllegalStateException("Nothing is sampled in this JVM.");
        }
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        snapshot.writeTo(block);
        return block.toByteArray();
    }
}

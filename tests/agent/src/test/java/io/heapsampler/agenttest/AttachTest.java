// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.JvmProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The agent in an application that runs already: attached, asked, detached, killed. */
class AttachTest {

    private static final Duration OUTPUT_INTERVAL = Duration.ofSeconds(1);

    /** For a machine that is busy with something else: a fourth of what would be the default. */
    private static final Duration SLACK = Duration.ofSeconds(15);

    /** Enough to see them come in time. */
    private static final int SNAPSHOTS = 3;

    @TempDir private Path folder;

    private Instant killed = Instant.MAX;

    static Stream<Jdk> jdks() {
        return Jdk.all().stream();
    }

    private static String collector(Jdk jdk) {
        return switch (jdk.feature()) {
            case 17 -> "-XX:+UseSerialGC";
            case 21 -> "-XX:+UseShenandoahGC";
            default -> "-XX:+UseZGC";
        };
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void attachesAndLeavesAndComesBack(Jdk jdk) throws Exception {
        JvmProcess.End end =
                new AgentJvm(jdk, folder)
                        .flags(collector(jdk))
                        .run("serve", (process, output) -> visit(jdk, process, output));

        assertThat(end.code()).as("killed:%n%s", end.output()).isEqualTo(128 + 9);
        assertThatEachWasThereInTime();
        boolean isWarned = end.output().contains("A Java agent has been loaded dynamically");
        assertThat(isWarned).as(end.output()).isEqualTo(jdk.feature() >= 21);
    }

    private void visit(Jdk jdk, Process process, Path output) throws Exception {
        Deadline.await(process, () -> Files.readString(output).contains("ready"));
        String pid = Long.toString(process.pid());
        writeLifetimes(jdk, process);
        if (jdk.equals(Jdk.all().get(0))) {
            ask(jdk, process);
        }
        attach(
                jdk,
                pid,
                "recorder=snapshot",
                "interval=16k",
                "output.file=heap.hsnap",
                "outputIntervalSecs=" + OUTPUT_INTERVAL.toSeconds());
        Deadline.await(process, () -> ring().size() >= SNAPSHOTS);
        if (jdk.equals(Jdk.all().get(0))) {
            JvmProcess.End again = AgentJvm.command(jdk, folder, "attach", pid);
            assertThat(again.code()).isEqualTo(1);
            assertThat(again.output())
                    .contains(
                            "An agent of HeapSampler is running in this JVM already. End it first:"
                                    + " java -jar heapsampler.jar detach "
                                    + pid);
        }
        killed = Instant.now();
        JvmProcess.signal(process, "KILL");
    }

    /**
     * Whenever the kill had come, the newest file would have been whole and young: none is older
     * when the next one comes, or the kill.
     */
    private void assertThatEachWasThereInTime() throws IOException {
        Instant next = killed;
        List<Path> ring = ring();
        for (int i = ring.size() - 1; i >= 0; i--) {
            HeapSnapshot snapshot = HeapSnapshot.read(ring.get(i));
            assertThat(snapshot.totals().allocated().samples()).isPositive();
            assertThat(Duration.between(snapshot.takenAt(), next))
                    .as("age of %s", ring.get(i))
                    .isLessThanOrEqualTo(OUTPUT_INTERVAL.plus(SLACK));
            next = snapshot.takenAt();
        }
    }

    private void writeLifetimes(Jdk jdk, Process process) throws Exception {
        String pid = Long.toString(process.pid());
        int port = freePort();
        attach(
                jdk,
                pid,
                "recorder=lifetime",
                "interval=16k",
                "output.file=lifetime.txt",
                "httpPort=" + port);
        Path file = folder.resolve("lifetime.txt");
        Deadline.await(process, () -> LifetimeTest.has(file, " died\n"));
        assertThat(statusOver(port)).contains("\"state\":\"RUNNING\"");
        JvmProcess.End left = AgentJvm.command(jdk, folder, "detach", pid);
        assertThat(left.code()).as(left.output()).isZero();
        LifetimeTest.assertThatTheyAreWhole(Files.readAllLines(file));
    }

    /** Commands that need no agent to stay. */
    private void ask(Jdk jdk, Process process) throws Exception {
        String pid = Long.toString(process.pid());
        JvmProcess.End none = AgentJvm.command(jdk, folder, "detach", pid);
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.output())
                .contains("No agent of HeapSampler is running in this JVM. Nothing was done.");

        JvmProcess.End recorded =
                AgentJvm.command(
                        jdk, folder, "record", pid, "-d", "300ms", "-i", "16k", "-o", "r.pb.gz",
                        "--gc");
        assertThat(recorded.code()).as(recorded.output()).isZero();
        assertThat(folder.resolve("r.pb.gz")).isNotEmptyFile();
        askForALabel(jdk, pid);

        JvmProcess.End watched =
                AgentJvm.command(
                        jdk, folder, "watch", pid, "-c", "3", "-r", "2s", "-i", "16k", "--gc");
        assertThat(watched.code()).as(watched.output()).isZero();
        assertThat(watched.output()).contains("LIVE").contains("App.serve(App.java:");
        assertThat(watched.output()).contains("Growth and allocation over 3 snapshots");

        JvmProcess.End judged =
                AgentJvm.command(jdk, folder, "doctor", pid, "-d", "1s", "-o", "doctor.json");
        assertThat(judged.code()).as(judged.output()).isZero();
        assertThat(folder.resolve("doctor.json")).content().contains("\"findings\"");
        Object[] again = {"doctor", pid, "-d", "100ms", "-o", "doctor.json"};
        JvmProcess.End kept = AgentJvm.command(jdk, folder, again);
        assertThat(kept.code()).isEqualTo(1);
        assertThat(kept.output()).contains("doctor.json exists. Replace it with --force");
        JvmProcess.End replaced =
                AgentJvm.command(
                        jdk,
                        folder,
                        Stream.concat(Stream.of(again), Stream.of("--force")).toArray());
        assertThat(replaced.code()).as(replaced.output()).isZero();
        JvmProcess.End told = AgentJvm.command(jdk, folder, "doctor", pid, "-d", "100ms");
        assertThat(told.output()).contains("GC doctor: ").contains("Looked for and not found");

        interrupt(jdk, pid);
        interruptWithoutAnswer(jdk, process);

        JvmProcess.End wrong = AgentJvm.command(jdk, folder, "attach", pid, "recorder=fire");
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.output())
                .contains("recorder=fire (in the agent's argument) is not valid. It takes flame,");
    }

    /** The application has no labels, so all samples are without this key. */
    private void askForALabel(Jdk jdk, String pid) throws Exception {
        for (String label : List.of("tenant=acme", "tenant=")) {
            JvmProcess.End recorded =
                    AgentJvm.command(
                            jdk, folder, "record", pid, "-d", "300ms", "-i", "16k", "-o", "l.hsnap",
                            "--force", "--only", label);
            assertThat(recorded.code()).as(recorded.output()).isZero();
            Path file = folder.resolve("l.hsnap");
            assertThat(HeapSnapshot.read(file).sites().isEmpty())
                    .isEqualTo(label.equals("tenant=acme"));
            Files.delete(file); // It is not one of the ring.
        }
        JvmProcess.End watched =
                AgentJvm.command(
                        jdk,
                        folder,
                        "watch",
                        pid,
                        "-c",
                        "1",
                        "-i",
                        "16k",
                        "--gc",
                        "--only",
                        "tenant=acme");
        assertThat(watched.code()).as(watched.output()).isZero();
        assertThat(watched.output()).contains("LIVE").doesNotContain("App.");
    }

    /** Ctrl+C ends the wait, not the command. */
    private void interrupt(Jdk jdk, String pid) throws Exception {
        JvmProcess.End recorded =
                AgentJvm.interrupted(
                        jdk,
                        folder,
                        () -> null,
                        List.of("record", pid, "-d", "1h", "-i", "16k", "-o", "cut.hsnap"));
        assertThat(recorded.output()).contains("Interrupted: the recording so far.");
        assertThat(recorded.code()).isEqualTo(128 + 2);
        Path cut = folder.resolve("cut.hsnap");
        assertThat(HeapSnapshot.read(cut).sites()).isNotNull();
        Files.delete(cut); // It is not one of the ring.

        JvmProcess.End judged =
                AgentJvm.interrupted(jdk, folder, () -> null, List.of("doctor", pid, "-d", "1h"));
        assertThat(judged.output())
                .contains("Interrupted: the diagnosis of the time so far.", "GC doctor: ");
    }

    /** Ctrl+C ends the command also where the target does not answer any more. */
    private void interruptWithoutAnswer(Jdk jdk, Process process) throws Exception {
        String pid = Long.toString(process.pid());
        Callable<?> stop =
                () -> {
                    JvmProcess.signal(process, "STOP");
                    return null;
                };
        for (List<String> words :
                List.of(
                        List.of("record", pid, "-d", "1h", "-o", "lost.hsnap"),
                        List.of("doctor", pid, "-d", "1h"))) {
            try {
                JvmProcess.End end = AgentJvm.interrupted(jdk, folder, stop, words);
                assertThat(end.output())
                        .contains("The JVM has not answered in time after Ctrl+C. Is it stopped?");
                assertThat(end.code()).isEqualTo(128 + 2);
                assertThat(Duration.ofMillis(end.millis())).isLessThan(Duration.ofSeconds(50));
            } finally {
                JvmProcess.signal(process, "CONT");
            }
        }
        assertThat(folder.resolve("lost.hsnap")).doesNotExist();
    }

    private void attach(Jdk jdk, String pid, String... options) throws Exception {
        Object[] words =
                Stream.concat(Stream.of("attach", pid), Stream.of(options)).toArray(Object[]::new);
        JvmProcess.End end = AgentJvm.command(jdk, folder, words);
        assertThat(end.code()).as(end.output()).isZero();
        assertThat(end.output())
                .contains("The agent is running in process " + pid + ".")
                .matches(text -> text.contains("(JEP 451)") == (jdk.feature() >= 21));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String statusOver(int port) throws Exception {
        URI uri = URI.create("http://localhost:" + port + "/debug/heapsampler/status.json");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private List<Path> ring() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".hsnap")).sorted().toList();
        }
    }
}

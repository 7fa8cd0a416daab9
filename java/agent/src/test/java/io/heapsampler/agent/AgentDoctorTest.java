// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.heapsampler.HeapSampler;
import io.heapsampler.agent.AgentDoctor.SessionDoctor;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.LabelledLeak;
import io.heapsampler.doctor.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The doctor of the agent and those of talks, which are one. */
class AgentDoctorTest {

    @TempDir private Path folder;

    private final Logger logger = Logger.getLogger("io.heapsampler.agent");
    private final List<String> said = new ArrayList<>();
    private final Handler ear =
            new Handler() {
                @Override
                public synchronized void publish(LogRecord line) {
                    said.add(line.getLevel() + " " + line.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void listen() {
        logger.addHandler(ear);
    }

    @AfterEach
    void leaveNothing() {
        logger.removeHandler(ear);
        assertThat(GcDoctor.running()).isNull();
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static Finding finding(String id, Severity severity, String title) {
        return new Finding(
                id,
                severity,
                title,
                Instant.EPOCH,
                Instant.EPOCH,
                "G1, JDK 17",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                null,
                null);
    }

    @Test
    void talksThatGoOnAtTheSameTimeShareADoctorUntilTheLastOneEnds() {
        SessionDoctor first = new SessionDoctor();
        SessionDoctor second = new SessionDoctor();
        assertThat(first.state()).isEqualTo("new");
        assertThat(second.state()).isEqualTo("new");
        first.close();
        first.close();

        assertThat(GcDoctor.running()).isNotNull();
        assertThat(HeapSampler.status().holders()).containsExactly("doctor");
        second.close();
        assertThat(GcDoctor.running()).isNull();
        assertThat(HeapSampler.status().holders()).isEmpty();
    }

    @Test
    void aTalkLeavesTheDoctorOfTheAgentAndTheAgentThatOfATalk() {
        AgentDoctor agent = AgentDoctor.start(Optional.empty(), true, true, true);
        SessionDoctor talk = new SessionDoctor();
        talk.close();
        assertThat(GcDoctor.running()).isNotNull();
        SessionDoctor other = new SessionDoctor();
        agent.close();
        assertThat(GcDoctor.running()).isNotNull();
        AgentDoctor.start(Optional.empty(), true, true, true).close();
        other.close();

        assertThat(GcDoctor.running()).isNull();
    }

    /** Whatever its options. */
    @Test
    void theAgentSharesADoctorThatIsRunning() {
        try (SessionDoctor talk = new SessionDoctor()) {
            AgentDoctor.start(Optional.empty(), true, true, true).close();
            assertThat(GcDoctor.running().options().toString()).contains("sampling=true");
            assertThat(talk.state()).isEqualTo("new");
        }
        assertThat(said)
                .singleElement()
                .asString()
                .startsWith(
                        "WARNING The agent shares the doctor that is running in this JVM, and its"
                                + " own doctor options have no effect. In force: ");
    }

    /** However much else there was to say, and however often a title changes. */
    @Test
    void eachFindingIsSaidOnceAndAgainWhenItGetsWorse() {
        IntStream.range(0, 200).forEach(i -> AgentLog.warnOnce("complaint " + i));
        said.clear();
        try (AgentDoctor agent = AgentDoctor.start(Optional.empty(), true, true, true)) {
            agent.tell(finding("gc.stall", Severity.INFO, "hardly"));
            agent.tell(finding("gc.stall", Severity.WARNING, "one stall"));
            agent.tell(finding("gc.stall", Severity.WARNING, "two stalls"));
            agent.tell(finding("gc.stall", Severity.CRITICAL, "many stalls"));
            agent.tell(finding("gc.stall", Severity.WARNING, "some stalls"));
            agent.tell(finding("gc.forged", Severity.WARNING, "of A\nWARN of B"));
        }
        assertThat(said)
                .containsExactly(
                        "WARNING GC doctor: WARNING gc.stall: one stall",
                        "SEVERE GC doctor: CRITICAL gc.stall: many stalls",
                        "WARNING GC doctor: WARNING gc.forged: of A?WARN of B");
    }

    /** The watch judges every five seconds: it has not seen what is wrong since. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatTheLastJudgementFindsIsSaidToo(boolean hasFile) {
        Optional<Path> file = hasFile ? Optional.of(folder.resolve("d.txt")) : Optional.empty();
        try (AgentDoctor agent = AgentDoctor.start(file, true, true, true)) {
            assertTimeoutPreemptively(Duration.ofMinutes(1), AgentDoctorTest::awaitFirstJudgement);
            for (int i = 0; i < 60; i++) {
                System.gc();
            }
            assertTimeoutPreemptively(Duration.ofMinutes(1), AgentDoctorTest::awaitNotifications);
            agent.writeLast();
            agent.writeLast();
        }

        assertThat(said).filteredOn(line -> line.contains("gc.explicit")).hasSize(1);
        if (hasFile) {
            assertThat(folder.resolve("d.txt")).content().contains("gc.explicit");
        }
    }

    /** The doctor's thread judges before it sleeps. */
    private static void awaitFirstJudgement() throws InterruptedException {
        while (Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals("heapsampler-doctor"))
                .flatMap(each -> Arrays.stream(each.getValue()))
                .noneMatch(frame -> frame.getMethodName().equals("sleepUntil"))) {
            Thread.sleep(10);
        }
    }

    /** The JVM notifies of collections later, by seconds on a loaded machine. */
    private static void awaitNotifications() throws InterruptedException {
        while (!GcDoctor.running().diagnosis().hasWarnings()) {
            Thread.sleep(10);
        }
    }

    /** Every reader sees a whole file, with two writers at a time. */
    @Test
    void theFileIsReplacedAsAWhole() throws Exception {
        Path file = folder.resolve("doctor.json");
        AtomicBoolean isOver = new AtomicBoolean();
        List<String> torn = new ArrayList<>();
        try (AgentDoctor agent = AgentDoctor.start(Optional.of(file), true, true, true)) {
            agent.write();
            Thread reader = new Thread(() -> readUntil(isOver, file, torn));
            reader.start();
            Finding finding = finding("gc.stall", Severity.WARNING, "stalls");
            Thread other =
                    new Thread(() -> IntStream.range(0, 50).forEach(i -> agent.tell(finding)));
            other.start();
            for (int i = 0; i < 50; i++) {
                agent.write();
            }
            other.join();
            isOver.set(true);
            reader.join();
        }
        assertThat(torn).as("%s", said).isEmpty();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    private static void readUntil(AtomicBoolean isOver, Path file, List<String> torn) {
        do {
            try {
                String text = Files.readString(file);
                if (!text.startsWith("{") || !text.endsWith("}")) {
                    torn.add(text);
                }
            } catch (IOException e) {
                torn.add(e.toString());
            }
        } while (!isOver.get());
    }

    @Test
    void reportsGetTheDiagnosisAsJson() {
        try (AgentDoctor agent = AgentDoctor.start(Optional.empty(), true, true, true)) {
            assertThat(agent.json().orElseThrow()).startsWith("{\"schema\":");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theFileAndTheReportNameLabelsIfAllAreWanted(boolean hasLabels) throws Exception {
        Path file = folder.resolve("doctor.txt");
        try (LabelledLeak leak = new LabelledLeak("tenant=acme");
                AgentDoctor agent = AgentDoctor.start(Optional.of(file), true, true, hasLabels)) {
            agent.writeLast();
            String both = Files.readString(file) + agent.json().orElseThrow();

            assertThat(both).contains("leak.growth");
            assertThat(both.contains(leak.text)).isEqualTo(hasLabels);
            assertThat(both.contains("acme")).isEqualTo(hasLabels);
        }
    }

    /** The command prints the page without control characters, whose hashes must still match. */
    @Test
    void thePageHasNoControlCharacters() throws IOException {
        Path file = folder.resolve("doctor.html");
        try (AgentDoctor agent = AgentDoctor.start(Optional.of(file), true, true, true)) {
            agent.write();
        }

        String page = Files.readString(file);
        assertThat(page).startsWith("<!DOCTYPE html>").contains("id=\"diagnosis\"");
        assertThat(page.chars().filter(c -> c != '\n')).noneMatch(Character::isISOControl);
    }
}

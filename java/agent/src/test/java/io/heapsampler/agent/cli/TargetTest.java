// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.acme.Kept;
import io.heapsampler.HeapLabels;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeldBy;
import io.heapsampler.Holder;
import io.heapsampler.SamplerOptions;
import io.heapsampler.agent.Agent;
import io.heapsampler.agent.HeldByRequest;
import io.heapsampler.agent.Session;
import io.heapsampler.agent.cli.CliCommand.FailureException;
import io.heapsampler.internal.shared.OnlyLabel;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connection between command line and agent, in one JVM. */
class TargetTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final Target.Secrets SECRETS =
            new Target.Secrets(SECRET, "fedcba9876543210fedcba9876543210");

    private static final String KEPT = "static field com.acme.Kept.BYTES";

    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private void callAgent() {
        Agent.agentmain(
                Session.argument(server.getLocalPort(), SECRETS.ofAgent(), SECRETS.own()),
                null); // Only for modules, and the tests have none.
    }

    private void callWith(int version, String secret) throws IOException {
        Socket stranger = new Socket(server.getInetAddress(), server.getLocalPort());
        DataOutputStream out = new DataOutputStream(stranger.getOutputStream());
        out.writeInt(version);
        out.writeUTF(secret);
        out.flush();
    }

    @Test
    void theAgentAnswers() throws Exception {
        callAgent();

        try (Target target = Target.accept(server, "4711", SECRETS)) {
            // Stopped, if another test has sampled in this JVM.
            assertThat(new String(target.ask("state"), StandardCharsets.UTF_8))
                    .isIn("NEW", "STOPPED");
            assertThatThrownBy(() -> target.ask("detach"))
                    .isInstanceOf(FailureException.class)
                    .hasMessage(
                            "No agent of HeapSampler is running in this JVM. Nothing was done.");
            assertThatThrownBy(() -> target.ask("start recorder=fire"))
                    .hasMessageContaining("recorder=fire (in the agent's argument) is not valid.");
            assertThatThrownBy(() -> target.snapshot(false))
                    .hasMessage("Nothing is sampled in this JVM.");
            assertThatThrownBy(() -> target.ask("sing"))
                    .hasMessage("The agent does not know the request \"sing\".");
        }
    }

    private static HeldByRequest ofTenant(String value) {
        return new HeldByRequest(
                0,
                null,
                new OnlyLabel("tenant", value),
                1_000,
                Duration.ofSeconds(10),
                Duration.ofSeconds(200));
    }

    @Test
    void theAgentSearchesHolders() throws Exception {
        HeldByRequest request =
                new HeldByRequest(
                        0,
                        "byte[]",
                        null,
                        100_000,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(200));
        HeapSampler.reset();
        callAgent();
        try (Target target = Target.accept(server, "4711", SECRETS)) {
            assertThatThrownBy(() -> target.heldBy(request))
                    .hasMessageStartingWith("Nothing is sampled in this JVM. Begin with");
            HeapSampler.start(SamplerOptions.builder().interval(1024).maxOverhead(1).build());
            Kept.add(256, 1 << 16); // of which a thread may miss the first 8 or so

            HeldBy answer = target.heldBy(request);
            assertThat(answer.holders()).extracting(Holder::text).contains(KEPT);
            assertThat(target.heldBy(ofTenant("acme")).holders()).isEmpty();
            HeapLabels.of("tenant", "acme").run(() -> Kept.add(256, 1 << 16));
            assertThat(target.heldBy(ofTenant("acme")).holders())
                    .extracting(Holder::text)
                    .contains(KEPT);
        } finally {
            HeapSampler.stop();
            HeapSampler.reset();
            Kept.BYTES.clear();
        }
    }

    @Test
    void requestForHoldersIsTheSameAfterItWasSent() {
        HeldByRequest byClass =
                new HeldByRequest(
                        0, "a.B[]", null, 7, Duration.ofMillis(50), Duration.ofSeconds(3));
        HeldByRequest bySites =
                new HeldByRequest(3, null, null, 9, Duration.ofMillis(1), Duration.ofMinutes(1));
        OnlyLabel label = OnlyLabel.parse("endpoint=GET /orders * a");
        HeldByRequest byLabel =
                new HeldByRequest(0, null, label, 5, Duration.ofMillis(1), Duration.ofMinutes(1));

        assertThat(HeldByRequest.of(byLabel.line())).isEqualTo(byLabel);
        assertThat(byLabel.options().toString()).contains("endpoint=GET /orders * a");
        assertThat(HeldByRequest.of(byClass.line())).isEqualTo(byClass);
        assertThat(HeldByRequest.of(bySites.line())).isEqualTo(bySites);
        assertThat(byClass.options().toString())
                .contains("a.B[]", "maxSamples=7, maxPause=PT0.05S, maxTime=PT3S");
        assertThat(bySites.options().toString()).contains("3 ", "maxSamples=9");
    }

    /** A space would shift the words of the line, and search for another class and label. */
    @ParameterizedTest
    @ValueSource(strings = {"a b", "a.B tenant=acme", " "})
    void aClassWithASpaceIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new HeldByRequest(
                                        0,
                                        name,
                                        null,
                                        7,
                                        Duration.ofMillis(1),
                                        Duration.ofSeconds(1)))
                .withMessage(
                        "The class \"" + name + "\" has a space. Name one class, such as byte[].");
    }

    @Test
    void aProgramWithoutTheSecretIsDisconnected() throws Exception {
        callWith(Session.VERSION, "f".repeat(SECRET.length()));
        new Socket(server.getInetAddress(), server.getLocalPort()).close();
        callAgent();

        try (Target target = Target.accept(server, "4711", SECRETS)) {
            assertThat(target.ask("state")).isNotEmpty();
        }
    }

    @Test
    void anAgentOfAnotherVersionIsRefused() throws Exception {
        callWith(Session.VERSION + 1, SECRET);

        assertThatThrownBy(() -> Target.accept(server, "4711", SECRETS))
                .hasMessage(
                        "Process 4711 has an agent of another version. Use the jar of that"
                                + " version.");
    }

    /** Another program has taken over the port, and knows neither secret. */
    @Test
    void anAgentTalksToNoOtherProgram() throws Exception {
        callAgent();

        try (Socket agent = server.accept()) {
            agent.setSoTimeout(60_000);
            DataInputStream in = new DataInputStream(agent.getInputStream());
            assertThat(in.readInt()).isEqualTo(Session.VERSION);
            String shown = in.readUTF();
            DataOutputStream out = new DataOutputStream(agent.getOutputStream());
            out.writeUTF(shown);
            out.writeUTF("state");
            out.flush();
            assertThat(readOrDisconnected(in)).isNegative();
        }
    }

    /** Unread bytes turn the end of a connection into a reset. */
    private static int readOrDisconnected(DataInputStream in) throws IOException {
        try {
            return in.read();
        } catch (SocketException e) {
            return -1;
        }
    }
}

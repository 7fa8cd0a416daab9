// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.agent.Agent;
import io.heapsampler.agent.Session;
import io.heapsampler.export.cli.FailureException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The talk of the command line with the agent, in one JVM. */
class TargetTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

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
                Session.MARK
                        + server.getInetAddress().getHostAddress()
                        + " "
                        + server.getLocalPort()
                        + " "
                        + SECRET);
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

        try (Target target = Target.accept(server, "4711", SECRET)) {
            assertThat(new String(target.ask("state"), StandardCharsets.UTF_8)).isEqualTo("NEW");
            assertThatThrownBy(() -> target.ask("detach"))
                    .isInstanceOf(FailureException.class)
                    .hasMessage(
                            "No agent of HeapSampler is at work in this JVM. Nothing was done.");
            assertThatThrownBy(() -> target.ask("start recorder=fire"))
                    .hasMessageContaining("recorder=fire (in the agent's argument) is not valid.");
            assertThatThrownBy(() -> target.snapshot(false))
                    .hasMessage("Nothing is sampled in this JVM.");
            assertThatThrownBy(() -> target.ask("sing"))
                    .hasMessage("The agent does not know the request \"sing\".");
        }
    }

    @Test
    void whoDoesNotKnowTheSecretIsHungUpOn() throws Exception {
        callWith(Session.VERSION, "f".repeat(SECRET.length()));
        new Socket(server.getInetAddress(), server.getLocalPort()).close();
        callAgent();

        try (Target target = Target.accept(server, "4711", SECRET)) {
            assertThat(target.ask("state")).isNotEmpty();
        }
    }

    @Test
    void anAgentOfAnotherVersionIsRefused() throws Exception {
        callWith(Session.VERSION + 1, SECRET);

        assertThatThrownBy(() -> Target.accept(server, "4711", SECRET))
                .hasMessage(
                        "Process 4711 has an agent of another version. Use the jar of that"
                                + " version.");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerState;
import io.heapsampler.agent.OptionReader.Placeholders;
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
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of the agent, its controls, and the messages when it cannot be served. */
class WebTest {

    private static final Runnable NOTHING = () -> {};

    @TempDir private Path folder;

    private static AgentOptions options(String argument) {
        return new AgentOptions(
                OptionReader.read(argument, new Properties(), Map.of(), Placeholders.now()));
    }

    @Test
    void aTokenIsReadFromItsFile() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "0123456789abcdef\n");

        Web.start(options("httpPort=0,httpTokenFile=" + file), NOTHING, NOTHING).close();
    }

    @Test
    void aMissingOrShortTokenIsRefused() throws Exception {
        Path file = folder.resolve("token");
        AgentOptions options = options("httpPort=0,httpTokenFile=" + file);

        assertThatThrownBy(() -> Web.start(options, NOTHING, NOTHING))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "The token cannot be read from " + file + " (httpTokenFile): ");
        Files.writeString(file, "short");
        assertThatThrownBy(() -> Web.start(options, NOTHING, NOTHING))
                .hasMessage(
                        "The token in "
                                + file
                                + " (httpTokenFile) is too short. It takes 16 or more"
                                + " characters.");
    }

    @Test
    void aPortInUseIsReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AgentOptions options = options("httpPort=" + taken.getLocalPort());

            assertThatThrownBy(() -> Web.start(options, NOTHING, NOTHING))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("Cannot listen on ");
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static void post(int port, String name) throws Exception {
        String server = "http://localhost:" + port;
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server + "/debug/heapsampler/" + name))
                        .header("Origin", server)
                        .timeout(Duration.ofMinutes(1))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void itsStopAndStartSteerTheSamplingOfTheAgent() throws Exception {
        int port = freePort();
        RunningAgent agent = RunningAgent.start(options("recorder=none,httpPort=" + port));
        try {
            assertThat(HeapSampler.status().holders()).containsExactly("agent");
            post(port, "stop");
            assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
            assertThat(HeapSampler.status().recordings()).as("samples are kept").isOne();
            post(port, "stop");
            post(port, "start");
            post(port, "start");
            assertThat(HeapSampler.status().holders()).containsExactly("agent");
        } finally {
            agent.detach();
        }
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.STOPPED);
        HeapSampler.reset();
    }

    @Test
    void itsStopLeavesTheHoldOfTheApplication() throws Exception {
        int port = freePort();
        HeapSampler.start();
        RunningAgent agent = RunningAgent.start(options("recorder=none,httpPort=" + port));
        try {
            post(port, "stop");
            assertThat(HeapSampler.status().holders()).containsExactly("application");
        } finally {
            agent.detach();
        }
        assertThat(HeapSampler.status().state()).isEqualTo(SamplerState.RUNNING);
        HeapSampler.stop();
        HeapSampler.reset();
    }
}

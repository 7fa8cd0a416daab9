// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the agent says when it cannot serve. */
class WebTest {

    @TempDir private Path folder;

    private static AgentOptions options(String argument) throws OptionException {
        return new AgentOptions(
                new OptionValues(
                        OptionReader.read(argument, new Properties(), Map.of()),
                        Placeholders.now()));
    }

    @Test
    void aTokenIsReadFromItsFile() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "0123456789abcdef\n");

        Web.start(options("http.port=0,http.token.file=" + file)).close();
    }

    @Test
    void aTokenThatIsMissingOrShortIsRefused() throws Exception {
        Path file = folder.resolve("token");
        AgentOptions options = options("http.port=0,http.token.file=" + file);

        assertThatThrownBy(() -> Web.start(options))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "The token cannot be read from " + file + " (http.token.file): ");
        Files.writeString(file, "short");
        assertThatThrownBy(() -> Web.start(options))
                .hasMessage(
                        "The token in "
                                + file
                                + " (http.token.file) is too short. It takes 16 or more"
                                + " characters.");
    }

    @Test
    void aPortThatIsTakenIsTold() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AgentOptions options = options("http.port=" + taken.getLocalPort());

            assertThatThrownBy(() -> Web.start(options))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("Cannot listen on ");
        }
    }
}

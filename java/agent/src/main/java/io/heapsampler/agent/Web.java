// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The HTTP server of the agent, on the loopback address. In a class of its own because a runtime
 * may lack the module {@code jdk.httpserver}.
 */
final class Web implements AutoCloseable {

    private final HeapSamplerServer server;

    private Web(HeapSamplerServer server) {
        this.server = server;
    }

    /**
     * Starts the server.
     *
     * @param start what Start on the page calls
     * @param stop what Stop on the page calls
     * @throws IOException if the port or the token cannot be obtained
     */
    static Web start(AgentOptions options, Runnable start, Runnable stop) throws IOException {
        try {
            EndpointOptions.Builder endpoint = EndpointOptions.builder();
            if (options.httpTokenFile.isPresent()) {
                endpoint.token(token(options.httpTokenFile.get()));
            }
            return new Web(
                    HeapSamplerServer.builder()
                            .port(options.httpPort.orElseThrow())
                            .options(endpoint.build())
                            .steering(start, stop)
                            .start());
        } catch (NoClassDefFoundError | UnsupportedOperationException e) {
            throw new IOException(
                    "httpPort needs the module jdk.httpserver, which this Java runtime lacks. Use"
                            + " a runtime that has it, or remove httpPort.",
                    e);
        }
    }

    private static String token(Path file) throws IOException {
        String token;
        try {
            token = Files.readString(file).strip();
        } catch (IOException e) {
            throw new IOException(
                    "The token cannot be read from " + file + " (httpTokenFile): " + e + ".", e);
        }
        if (token.length() < 16) {
            throw new IOException(
                    "The token in "
                            + file
                            + " (httpTokenFile) is too short. It takes 16 or more characters.");
        }
        return token;
    }

    @Override
    public void close() {
        server.close();
    }
}

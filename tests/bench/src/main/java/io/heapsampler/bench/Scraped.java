// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.http.HeapSamplerServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A server that can be scraped, and a client that costs next to nothing: it reads into one buffer.
 */
final class Scraped implements AutoCloseable {

    /** What scrapers request as a rule. */
    static final String ALLOCS = "/debug/pprof/allocs";

    private final HeapSamplerServer server;
    private final byte[] buffer = new byte[1 << 16];
    private long bytes;

    Scraped() throws IOException {
        server = HeapSamplerServer.builder().port(0).start();
    }

    /** Requests the profile that scrapers request. */
    void scrape() {
        scrape(ALLOCS);
    }

    /** Requests what is at a path, and reads it to its end. */
    void scrape(String path) {
        byte[] request =
                ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
        InetSocketAddress address = server.address();
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(request);
            InputStream in = socket.getInputStream();
            bytes = 0;
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (bytes == 0
                        && !new String(buffer, 9, 3, StandardCharsets.US_ASCII).equals("200")) {
                    throw new IllegalStateException(
                            new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
                }
                bytes += count;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Bytes of the last response. */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        server.close();
    }
}

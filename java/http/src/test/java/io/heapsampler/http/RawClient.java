// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** HTTP as it goes over the wire, so that a test can say what no client library would. */
final class RawClient {

    private static final int PATIENCE_MILLIS = 120_000;

    private RawClient() {}

    /**
     * What came back.
     *
     * @param isWhole whether it ended as it should have, by length or by last chunk
     */
    record Reply(int status, Map<String, List<String>> headers, byte[] body, boolean isWhole) {

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        String header(String name) {
            return String.join("|", headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
        }
    }

    static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    static Reply get(int port, String target, String... headers) throws IOException {
        return send(port, "GET", target, "", headers);
    }

    /** Returns whether a client is served, not disconnected. */
    static boolean isServed(int port) {
        try {
            return get(port, "/debug/pprof/heap").status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends a request with one Host header, unless the headers have one. */
    static Reply send(int port, String method, String target, String form, String... headers)
            throws IOException {
        try (Socket socket = connect(port)) {
            OutputStream out = socket.getOutputStream();
            out.write(request(method, target, form, headers).getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            return parse(socket.getInputStream().readAllBytes(), method.equals("HEAD"));
        }
    }

    static String request(String method, String target, String form, String... headers) {
        StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        boolean hasHost = false;
        for (String header : headers) {
            if (!header.isBlank()) {
                request.append(header).append("\r\n");
                hasHost |= header.toLowerCase(Locale.ROOT).startsWith("host:");
            }
        }
        request.append(hasHost ? "" : "Host: localhost\r\n");
        if (!form.isEmpty()) {
            request.append("Content-Type: application/x-www-form-urlencoded\r\n");
        }
        if (!form.isEmpty() || method.equals("POST")) {
            request.append("Content-Length: ").append(form.length()).append("\r\n");
        }
        return request.append("Connection: close\r\n\r\n").append(form).toString();
    }

    static Reply parse(byte[] all, boolean isHead) {
        String text = new String(all, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Reply(0, Map.of(), all, false);
        }
        String[] lines = text.substring(0, end).split("\r\n");
        Map<String, List<String>> headers = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.computeIfAbsent(
                            lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                            key -> new ArrayList<>())
                    .add(lines[i].substring(colon + 1).trim());
        }
        int status = Integer.parseInt(lines[0].split(" ")[1]);
        String rest = text.substring(end + 4);
        if (!isHead && headers.getOrDefault("transfer-encoding", List.of()).contains("chunked")) {
            return chunked(status, headers, rest);
        }
        byte[] body = rest.getBytes(StandardCharsets.ISO_8859_1);
        List<String> length = headers.get("content-length");
        boolean isWhole =
                isHead || length == null || Integer.parseInt(length.get(0)) == body.length;
        return new Reply(status, headers, body, isWhole);
    }

    private static Reply chunked(int status, Map<String, List<String>> headers, String rest) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int at = 0;
        while (true) {
            int line = rest.indexOf("\r\n", at);
            if (line < 0) {
                return new Reply(status, headers, body.toByteArray(), false);
            }
            int size = Integer.parseInt(rest.substring(at, line).trim(), 16);
            if (size == 0 || line + 2 + size > rest.length()) {
                return new Reply(status, headers, body.toByteArray(), size == 0);
            }
            body.writeBytes(
                    rest.substring(line + 2, line + 2 + size)
                            .getBytes(StandardCharsets.ISO_8859_1));
            at = line + 2 + size + 2;
        }
    }

    /** Reads until the given number of bytes has come. */
    static void readSome(InputStream in, int bytes) throws IOException {
        if (in.readNBytes(bytes).length < bytes) {
            throw new IOException("the connection ended too early");
        }
    }

    /** Reads all bytes; a broken connection is also an end. */
    static byte[] readToTheEnd(Socket socket) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            InputStream in = socket.getInputStream();
            in.transferTo(all);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the server neither answered nor hung up", e);
        } catch (IOException e) {
            // It hung up.
        }
        return all.toByteArray();
    }
}

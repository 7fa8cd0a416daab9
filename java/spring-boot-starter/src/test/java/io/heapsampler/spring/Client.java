// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import java.net.CookieManager;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A browser that uses the actuator of one application: it keeps cookies and sends an origin. */
public final class Client {

    /** Name and password of the application's only user. */
    public static final String USER = "operator:secret";

    private static final Pattern HEADER =
            Pattern.compile("data-header=\"([^\"]*)\" data-header-value=\"([^\"]*)\"");

    private static final Pattern NAME = Pattern.compile("\"([^\"]*)\":");

    private final HttpClient http =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final String server;
    private final String base;
    private final boolean hasCredentials;

    /** A client of the endpoint at a base path, such as {@code /actuator/heapsampler}. */
    public Client(String server, String base, boolean hasCredentials) {
        this.server = server;
        this.base = base;
        this.hasCredentials = hasCredentials;
    }

    /** Returns the same client without a name and password. */
    public Client stranger() {
        return new Client(server, base, false);
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server + path)).timeout(Duration.ofMinutes(1));
        if (hasCredentials) {
            request.header("Authorization", basicAuthorization());
        }
        return request;
    }

    private static String basicAuthorization() {
        byte[] bytes = USER.getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(bytes);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Reads any address of the application. */
    public HttpResponse<String> getElsewhere(String path) throws Exception {
        return send(request(path));
    }

    /** Returns the labels for which the application has samples. */
    public Set<String> labels() throws Exception {
        Set<String> labels = new TreeSet<>();
        Matcher name = NAME.matcher(getElsewhere("/labels").body());
        while (name.find()) {
            labels.add(name.group(1));
        }
        return labels;
    }

    /** Reads an address below the endpoint. */
    public HttpResponse<String> get(String path) throws Exception {
        return send(request(base + path));
    }

    /** Reads bytes. */
    public HttpResponse<byte[]> getBytes(String path) throws Exception {
        return http.send(request(base + path).build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Sends HEAD. */
    public HttpResponse<String> head(String path) throws Exception {
        return send(request(base + path).method("HEAD", HttpRequest.BodyPublishers.noBody()));
    }

    /** Sends a form as the page does: with its origin and the header that the page holds. */
    public HttpResponse<String> postAsPage(String path, String form) throws Exception {
        Matcher header = HEADER.matcher(get("/debug/heapsampler/").body());
        HttpRequest.Builder request = form(path, form).header("Origin", server);
        if (header.find() && !header.group(1).isEmpty()) {
            request.header(header.group(1), header.group(2));
        }
        return send(request);
    }

    /** Sends a form as the page of another server can. */
    public HttpResponse<String> postAsForeignPage(String path, String form) throws Exception {
        return send(form(path, form).header("Origin", "http://evil.example"));
    }

    /** Sends a JSON document to the actuator's own operation. */
    public HttpResponse<String> postJson(String json) throws Exception {
        return send(
                request(base)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    /** Returns the status line and the rest of a response to a request for another host name. */
    public String getAsHost(String path, String host) throws Exception {
        URI address = URI.create(server);
        String lines =
                "GET %s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n"
                        .formatted(
                                base + path,
                                host,
                                hasCredentials
                                        ? "Authorization: " + basicAuthorization() + "\r\n"
                                        : "");
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(lines.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private HttpRequest.Builder form(String path, String form) {
        return request(base + path)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form));
    }
}

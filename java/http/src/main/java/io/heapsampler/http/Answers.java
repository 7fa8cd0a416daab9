// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.export.ExportFormat;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes responses with the headers that all of them have. */
final class Answers {

    static final String TEXT = "text/plain; charset=utf-8";
    static final String HTML = "text/html; charset=utf-8";
    static final String JSON = "application/json";
    static final String BINARY = "application/octet-stream";

    /** Nothing may be loaded, run, sent or framed. */
    private static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";

    private static final SecureRandom RANDOM = new SecureRandom();

    private Answers() {}

    static Map<String, String> headers(String contentType) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", contentType);
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Cache-Control", "no-store");
        headers.put("Content-Security-Policy", NOTHING);
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        // With no-referrer, browsers would also hide the origin of our own forms.
        headers.put("Referrer-Policy", "same-origin");
        headers.put("X-Frame-Options", "DENY");
        return headers;
    }

    static EndpointResponse ok(String contentType, Body body) {
        return new EndpointResponse(200, headers(contentType), body);
    }

    /** A file to be saved, as Go names it. */
    static EndpointResponse file(String contentType, String name, Body body) {
        Map<String, String> headers = headers(contentType);
        headers.put("Content-Disposition", "attachment; filename=\"" + name + "\"");
        return new EndpointResponse(200, headers, body);
    }

    /** A page of our own, whose style and script carry the nonce. */
    static EndpointResponse page(String html, String nonce) {
        return page(Body.of(html), nonce);
    }

    /** The same, of one that was rendered within the budget. */
    static EndpointResponse page(Body html, String nonce) {
        Map<String, String> headers = headers(HTML);
        headers.put(
                "Content-Security-Policy",
                """
                default-src 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'; connect-src \
                'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors \
                'none'; require-trusted-types-for 'script'; trusted-types 'none'\
                """
                        .formatted(nonce, nonce));
        return new EndpointResponse(200, headers, html);
    }

    /** A report, to be viewed. Its own policy allows its script and nothing else. */
    static EndpointResponse report(Body body) {
        Map<String, String> headers = headers(HTML);
        headers.put(
                "Content-Security-Policy",
                ExportFormat.HTML.contentSecurityPolicy().orElseThrow()
                        + "; frame-ancestors 'none'");
        return new EndpointResponse(200, headers, body);
    }

    static String nonce() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** A relative address, so that nothing of the request is repeated. */
    static EndpointResponse redirect(int status, String location) {
        Map<String, String> headers = headers(TEXT);
        headers.put("Location", location);
        return new EndpointResponse(status, headers, Body.of(""));
    }

    static EndpointResponse refusal(Refusal refusal, boolean isPprof) {
        Map<String, String> headers = headers(TEXT);
        if (isPprof) {
            headers.put("X-Go-Pprof", "1");
        }
        headers.putAll(refusal.headers());
        return new EndpointResponse(refusal.status(), headers, Body.of(refusal.text() + "\n"));
    }
}

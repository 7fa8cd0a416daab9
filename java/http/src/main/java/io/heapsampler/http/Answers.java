// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.export.ExportFormat;
import io.heapsampler.internal.shared.JsonText;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes responses with the headers that all of them have. */
final class Answers {

    static final String TEXT = "text/plain; charset=utf-8";
    static final String HTML = "text/html; charset=utf-8";
    static final String JSON = "application/json";
    static final String BINARY = "application/octet-stream";

    private static final String POLICY = "Content-Security-Policy";
    private static final Pattern PLACE = Pattern.compile("@([A-Z]+)@");
    private static final SecureRandom RANDOM = new SecureRandom();

    private Answers() {}

    private static EndpointResponse of(
            int status, String contentType, Map<String, String> more, Body body) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", contentType);
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Cache-Control", "no-store");
        // Nothing may be loaded, run, sent or framed.
        headers.put(POLICY, "default-src 'none'; frame-ancestors 'none'");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        // With no-referrer, browsers would also hide the origin of our own forms.
        headers.put("Referrer-Policy", "same-origin");
        headers.put("X-Frame-Options", "DENY");
        headers.putAll(more);
        return new EndpointResponse(status, headers, body);
    }

    static EndpointResponse ok(String contentType, Body body) {
        return of(200, contentType, Map.of(), body);
    }

    static EndpointResponse json(Object tree) {
        return ok(JSON, Body.of(JsonText.of(tree)));
    }

    /** A file to be saved, as Go names it. */
    static EndpointResponse file(String contentType, String name, Body body) {
        String disposition = "attachment; filename=\"" + name + "\"";
        return of(200, contentType, Map.of("Content-Disposition", disposition), body);
    }

    /** A page of our own, whose style and script carry the nonce. */
    static EndpointResponse page(Body html, String nonce) {
        String policy =
                """
                default-src 'none'; style-src 'nonce-%s'; script-src 'nonce-%s'; connect-src \
                'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors \
                'none'; require-trusted-types-for 'script'; trusted-types 'none'\
                """;
        return of(200, HTML, Map.of(POLICY, policy.formatted(nonce, nonce)), html);
    }

    /** A report, to be viewed. Its own policy allows its script and nothing else. */
    static EndpointResponse report(Body body) {
        String policy = ExportFormat.HTML.contentSecurityPolicy().orElseThrow();
        return of(200, HTML, Map.of(POLICY, policy + "; frame-ancestors 'none'"), body);
    }

    static String nonce() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** A relative address, so that nothing of the request is repeated. */
    static EndpointResponse redirect(int status, String location) {
        return of(status, TEXT, Map.of("Location", location), Body.of(""));
    }

    static EndpointResponse refusal(Refusal refusal, boolean isPprof) {
        Map<String, String> more = new LinkedHashMap<>(refusal.headers());
        if (isPprof) {
            more.put("X-Go-Pprof", "1");
        }
        return of(refusal.status(), TEXT, more, Body.of(refusal.text() + "\n"));
    }

    /**
     * Fills the places of a page in one pass: a value that looks like a place stays as it is.
     *
     * @param name a resource beside this class
     */
    static String fill(String name, Map<String, String> values) {
        Matcher places = PLACE.matcher(read(name));
        return places.replaceAll(
                place ->
                        Matcher.quoteReplacement(
                                values.getOrDefault(place.group(1), place.group())));
    }

    static String read(String name) {
        try (InputStream in = Answers.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException(name + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

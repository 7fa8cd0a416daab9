// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;

/** What clients see, whichever version of Spring Boot, web framework and security there is. */
public final class EndpointContract {

    private EndpointContract() {}

    /** Without exposure there is nothing. */
    public static void isHidden(Client client) throws Exception {
        assertThat(client.get("").statusCode()).isEqualTo(404);
        assertThat(client.get("/debug/pprof/heap").statusCode()).isEqualTo(404);
        assertThat(client.get("/debug/heapsampler/").statusCode()).isEqualTo(404);
    }

    /** Spring Security answers before any address. */
    public static void isClosed(Client stranger) throws Exception {
        for (String path :
                new String[] {"", "/debug/pprof/heap", "/debug/heapsampler/", "/debug/x"}) {
            assertThat(stranger.get(path).statusCode()).as(path).isEqualTo(401);
        }
    }

    /** All addresses can be read. */
    public static void canBeRead(Client client) throws Exception {
        assertThat(client.get("").body()).contains("\"state\":", "\"live\":");

        HttpResponse<byte[]> profile = client.getBytes("/debug/pprof/allocs");
        assertThat(profile.statusCode()).isEqualTo(200);
        assertThat(profile.body()).startsWith(0x1f, 0x8b); // gzip
        assertThat(profile.headers().firstValue("Content-Disposition")).isPresent();

        HttpResponse<String> page = client.get("/debug/heapsampler/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("script-src 'nonce-");
        assertThat(page.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/html");

        assertThat(client.get("/debug/heapsampler/flame.html").statusCode()).isEqualTo(200);
        assertThat(client.get("/debug/heapsampler/status.json").body()).contains("\"RUNNING\"");
        assertThat(client.head("/debug/pprof/allocs").statusCode()).isEqualTo(200);
        assertThat(client.get("/debug/pprof/nothing").statusCode()).isEqualTo(404);
        HttpResponse<String> redirect = client.get("/debug/heapsampler");
        assertThat(redirect.statusCode()).isEqualTo(301);
        assertThat(redirect.headers().firstValue("Location")).contains("heapsampler/");
    }

    /** Nothing can be changed, by whatever client. */
    public static void cannotBeChanged(Client client) throws Exception {
        assertThat(client.postAsPage("/debug/heapsampler/stop", "").statusCode()).isIn(403, 405);
        assertThat(client.postAsPage("/debug/heapsampler/heldby", "").statusCode()).isIn(403, 405);
        assertThat(client.postJson("{\"action\":\"stop\"}").statusCode()).isIn(403, 404, 405);
        assertThat(client.get("/debug/heapsampler/status.json").body()).contains("\"RUNNING\"");
    }

    /** The page can change the sampler, and no page of another server. */
    public static void thePageCanChangeIt(Client client) throws Exception {
        // Spring Security, which has no token, says 401 or 403.
        assertThat(client.postAsForeignPage("/debug/heapsampler/stop", "").statusCode())
                .isIn(401, 403);
        HttpResponse<String> changed =
                client.postAsPage("/debug/heapsampler/interval", "interval=65536");
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertThat(changed.body()).contains("\"interval\":65536");
        assertThat(client.postAsPage("/debug/heapsampler/stop", "").body()).contains("\"STOPPED\"");
        assertThat(client.postAsPage("/debug/heapsampler/start", "").body())
                .contains("\"RUNNING\"");
    }

    /** Forced collections are a property of their own, which no client can change. */
    public static void neverCollects(Client client) throws Exception {
        assertThat(client.postAsPage("/debug/heapsampler/gc", "allowed=true").statusCode())
                .isIn(403, 405);
        assertThat(client.get("/debug/pprof/heap?gc=1").statusCode()).isEqualTo(403);
    }

    /** Samples have the pattern of the request as a label; polls until one is there. */
    public static void requestsAreLabelled(Client client, String... endpoints) throws Exception {
        Instant end = Instant.now().plus(Duration.ofMinutes(1));
        String labels;
        do {
            assertThat(client.getElsewhere("/goods/1").statusCode()).isEqualTo(200);
            assertThat(client.getElsewhere("/later").statusCode()).isEqualTo(200);
            labels = client.getElsewhere("/labels").body();
        } while (!java.util.Arrays.stream(endpoints).allMatch(labels::contains)
                && Instant.now().isBefore(end));
        assertThat(labels).contains(endpoints);
    }
}

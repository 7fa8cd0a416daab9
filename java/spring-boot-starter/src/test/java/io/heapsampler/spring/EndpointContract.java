// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What clients see, whichever version of Spring Boot, web framework and security there is. */
public final class EndpointContract {

    private static final String TIDY = "com.acme.shop.ShopApplication.Pages.tidy";

    /** No label; and requests that allocate little, so that few of them have a sample. */
    private static final Set<String> SELDOM =
            Set.of("(none)", "GET /labels", "GET /**", "GET /error", "POST /error");

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
        assertThat(client.get("").body())
                .contains("\"state\":\"RUNNING\"", "\"holders\":")
                .doesNotContain("live", "stack", "class");

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

    /** DNS rebinding: a page whose name leads here reads nothing of the heap. */
    public static void knowsItsHosts(Client client) throws Exception {
        for (String path : List.of("/debug/heapsampler/status.json", "/debug/pprof/heap")) {
            assertThat(client.getAsHost(path, "localhost")).startsWith("HTTP/1.1 200");
            assertThat(client.getAsHost(path, "evil.example")).startsWith("HTTP/1.1 403");
        }
        assertThat(client.getAsHost("", "evil.example")).doesNotContain("stack", "bytes");
    }

    /** Nothing can be changed by any client, because the access is read-only. */
    public static void cannotBeChanged(Client client) throws Exception {
        for (String path : List.of("stop", "heldby", "gc")) {
            assertThat(client.postAsPage("/debug/heapsampler/" + path, "").statusCode())
                    .as(path)
                    .isEqualTo(405);
        }
        theActuatorChangesNothing(client, 405);
    }

    /**
     * Spring Security refuses each POST, because the page of a read-only endpoint has no token.
     *
     * @param refused as for {@link #thePageCanChangeIt}
     */
    public static void hasNoToken(Client client, int refused) throws Exception {
        assertThat(client.get("/debug/heapsampler/").body()).doesNotContain("X-CSRF-TOKEN");
        assertThat(client.postAsPage("/debug/heapsampler/stop", "").statusCode())
                .isEqualTo(refused);
        theActuatorChangesNothing(client, refused);
    }

    /** The actuator's own operation only reads, with every access. */
    public static void theActuatorChangesNothing(Client client, int status) throws Exception {
        assertThat(client.postJson("{\"action\":\"stop\"}").statusCode()).isEqualTo(status);
        assertThat(client.get("/debug/heapsampler/status.json").body()).contains("\"RUNNING\"");
    }

    /**
     * The page can change the sampler, and no page of another server.
     *
     * @param refused the status of that: 403, or 401 where Spring MVC makes an error page of it
     */
    public static void thePageCanChangeIt(Client client, int refused) throws Exception {
        assertThat(client.postAsForeignPage("/debug/heapsampler/stop", "").statusCode())
                .isEqualTo(refused);
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
                .isEqualTo(403);
        assertThat(client.get("/debug/pprof/heap?gc=1").statusCode()).isEqualTo(403);
    }

    /** A property lets clients force collections. */
    public static void collects(Client client) throws Exception {
        assertThat(client.get("/debug/pprof/heap?gc=1").statusCode()).isEqualTo(200);
    }

    /**
     * Samples have the pattern of the request as a label, and no other text. Polls until each
     * expected value is there.
     */
    public static void requestsAreLabelled(Client client, String... more) throws Exception {
        Set<String> expected = new TreeSet<>(Set.of(more));
        expected.addAll(Set.of("GET /goods/{id}", "GET /later", "scheduled " + TIDY));
        Set<String> allowed = new TreeSet<>(expected);
        allowed.addAll(SELDOM);
        Instant end = Instant.now().plus(Duration.ofMinutes(1));
        Set<String> labels;
        do {
            assertThat(client.getElsewhere("/goods/1").statusCode()).isEqualTo(200);
            assertThat(client.getElsewhere("/later").statusCode()).isEqualTo(200);
            assertThat(client.getElsewhere("/nothing").statusCode()).isEqualTo(404);
            client.get("");
            labels = client.labels();
        } while (!labels.containsAll(expected) && Instant.now().isBefore(end));
        assertThat(labels).containsAll(expected).isSubsetOf(allowed);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.http.Asking.Answer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A page of another server cannot make a browser send a GET that has an effect. */
class ForeignPageTest extends EndpointCase {

    private static final String BROWSER = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/140";

    /** Each of these forces a collection, takes the place for deltas, or moves a baseline. */
    private static final List<String> ACTS =
            List.of(
                    HEAP + "?gc=1",
                    HEAP + "?seconds=1",
                    "/debug/pprof/allocs?seconds=1",
                    "/debug/pprof/delta_heap",
                    PAGE + "flame.html?gc=1",
                    PAGE + "snapshot.json?gc=2",
                    PAGE + "top.txt?gc=1",
                    PAGE + "top.json?gc=1",
                    PAGE + "diff.html?seconds=1",
                    PAGE + "growth.json?seconds=2");

    /** These wait without a parameter. */
    private static final List<String> ACTS_BY_DEFAULT =
            List.of(PAGE + "diff.html", PAGE + "growth.json");

    private final HeapSamplerEndpoint endpoint =
            endpoint(EndpointOptions.builder().gcSpacing(Duration.ZERO));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site",
                "Sec-Fetch-Site: cross-site; Origin: http://localhost",
                "Sec-Fetch-Site: same-origin; Origin: http://evil.example",
                "Origin: http://evil.example",
                "Origin: null",
                "Origin: http://localhost:8081",
                "Referer: http://evil.example/page",
                "Referer: http://localhost.evil.example/",
                "Referer: http://localhost:8081/",
                "Referer: about:blank",
                BROWSER
            })
    void getThatActsIsRefused(String headers) {
        for (String target : Stream.concat(ACTS.stream(), ACTS_BY_DEFAULT.stream()).toList()) {
            Answer answer = ask(endpoint, "GET", target, headers.split("; ?(?=[A-Z][a-zA-Z-]*: )"));
            assertThat(answer.status()).as(target).isEqualTo(403);
            assertThat(answer.text())
                    .isEqualTo(
                            "A page of another server may not force a collection, wait for a change"
                                + " or read delta_heap. Type the address into the browser, use the"
                                + " page of this endpoint, or send the token as \"Authorization:"
                                + " Bearer ...\". Without HTTPS, browsers do not say where a"
                                + " request to another machine comes from: use HTTPS or a program"
                                + " such as curl there.\n");
        }
        assertThat(source.calls).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Accept: */*", // curl and go tool pprof send nothing else
                "User-Agent: Go-http-client/1.1",
                "User-Agent: curl/8.14.1",
                "Sec-Fetch-Site: none; " + BROWSER,
                "Sec-Fetch-Site: same-origin; " + BROWSER,
                "Origin: http://localhost; " + BROWSER,
                "Referer: http://localhost/debug/heapsampler/; " + BROWSER,
                "Referer: https://LOCALHOST/debug/pprof/; " + BROWSER,
            })
    void othersAreServed(String headers) {
        String[] all = headers.split("; ?(?=[A-Z][a-zA-Z-]*: )");
        for (String target : List.of(HEAP + "?gc=1", "/debug/pprof/delta_heap")) {
            assertThat(ask(endpoint, "GET", target, all).status()).as(target).isEqualTo(200);
        }
    }

    @Test
    void programIsServed() {
        for (String target : ACTS) {
            assertThat(ask(endpoint, "GET", target).status()).as(target).isEqualTo(200);
        }
    }

    @Test
    void bearerTokenNeedsNoOrigin() {
        HeapSamplerEndpoint closed =
                endpoint(EndpointOptions.builder().token(Contract.TOKEN).gcSpacing(Duration.ZERO));
        String token = "Authorization: Bearer " + Contract.TOKEN;
        String basic = "Authorization: Basic dTowMTIzNDU2Nzg5YWJjZGVmLXRoZS10b2tlbg==";
        String foreign = "Sec-Fetch-Site: cross-site";

        assertThat(ask(closed, "GET", HEAP + "?gc=1", token, foreign).status()).isEqualTo(200);
        assertThat(ask(closed, "GET", HEAP + "?gc=1", basic, foreign).status()).isEqualTo(403);
        assertThat(ask(closed, "GET", HEAP + "?gc=1", basic).status()).isEqualTo(200);
    }

    @Test
    void getWithoutEffectIsServedToEveryPage() {
        for (String target : List.of(HEAP, HEAP + "?gc=0", PAGE + "status.json", PAGE)) {
            assertThat(ask(endpoint, "GET", target, "Sec-Fetch-Site: cross-site").status())
                    .as(target)
                    .isEqualTo(200);
        }
        assertThat(source.calls).doesNotContain("gc");
    }
}

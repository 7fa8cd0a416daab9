// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The name that a client requested may be outside the headers. */
class AuthorityTest extends EndpointCase {

    private final HeapSamplerEndpoint shop =
            endpoint(
                    EndpointOptions.builder()
                            .allowUnauthenticated()
                            .host("shop.internal")
                            .token(Contract.TOKEN));

    private static EndpointRequest.Builder request(String method, String target, String header) {
        EndpointRequest.Builder request = Asking.request(method, target);
        for (String each : header.split("; ")) {
            String[] parts = each.split(": ", 2);
            request.header(parts[0], parts[1]);
        }
        return request;
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, , 200",
        "localhost:8080, , 200",
        "[::1]:8080, , 200",
        "localhost, localhost, 200",
        "localhost, evil.example, 403",
        "evil.example, , 403",
        "evil.example, localhost, 403",
        "user@localhost, localhost, 403",
        ", localhost, 200",
        ", , 400",
    })
    void everyNameOfARequestMustBeKnown(String authority, String host, int status) {
        EndpointRequest.Builder request = Asking.request("GET", HEAP).authority(authority);
        if (host != null) {
            request.header("Host", host);
        }
        assertThat(Asking.answer(open, request.build()).status()).isEqualTo(status);
    }

    @Test
    void originIsComparedWithTheAuthority() {
        String target = PAGE + "stop";
        EndpointRequest.Builder own = request("POST", target, "Origin: http://localhost:8080");
        assertThat(Asking.answer(open, own.authority("localhost:8080").build()).status())
                .isEqualTo(200);
        EndpointRequest.Builder foreign = request("POST", target, "Origin: http://localhost:9");
        assertThat(Asking.answer(open, foreign.authority("localhost:8080").build()).status())
                .isEqualTo(403);
    }

    /** A proxy with TLS that puts its own name for this server in place of the requested one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Origin: https://shop.internal; Sec-Fetch-Site: same-origin | 200",
                "Origin: https://shop.internal:8443; Sec-Fetch-Site: same-origin | 200",
                "Origin: https://shop.internal | 403",
                "Origin: https://shop.internal; Sec-Fetch-Site: same-site | 403",
                "Origin: https://evil.example; Sec-Fetch-Site: same-origin | 403",
            })
    void pageBehindAProxyThatReplacesTheHostWorks(String headers, int status) {
        HeapSamplerEndpoint proxied =
                endpoint(EndpointOptions.builder().allowUnauthenticated().host("shop.internal"));
        EndpointRequest request =
                request("POST", PAGE + "stop", headers).header("Host", "127.0.0.1:8080").build();

        assertThat(Asking.answer(proxied, request).status()).isEqualTo(status);
    }

    /** Jetty and others put X-Forwarded-Host in place of Host, and a rebound page can send it. */
    @ParameterizedTest
    @CsvSource({
        "X-Forwarded-Host, localhost, 403",
        "X-Forwarded-Server, 127.0.0.1, 403",
        "Forwarded, '[::1]:80', 403",
        "X-Forwarded-Host, shop.internal, 200",
        "X-Forwarded-For, localhost, 200",
    })
    void nameOfAForwardedRequestMustHaveBeenAdded(String header, String host, int status) {
        HeapSamplerEndpoint everybody =
                endpoint(EndpointOptions.builder().allowUnauthenticated().host("shop.internal"));
        EndpointRequest.Builder request =
                Asking.request("GET", HEAP).header("Host", host).header(header, host);

        HeapSamplerEndpoint ambient =
                endpoint(EndpointOptions.builder().authenticator(r -> true).host("shop.internal"));

        assertThat(Asking.answer(everybody, request.build()).status()).isEqualTo(status);
        assertThat(Asking.answer(ambient, request.build()).status()).isEqualTo(status);
        request.header("Authorization", "Bearer " + Contract.TOKEN);
        assertThat(Asking.answer(shop, request.build()).status()).isEqualTo(200);
    }
}

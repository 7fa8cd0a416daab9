// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a framework around the endpoint decides: the header of the page, and forced collections. */
class PageHeaderTest {

    private final HeapSamplerEndpoint endpoint =
            new HeapSamplerEndpoint(
                    EndpointOptions.builder().allowUnauthenticated().neverGc().build());

    private static EndpointRequest.Builder request(String method, String path) {
        return EndpointRequest.builder(method, path)
                .header("Host", "localhost")
                .header("Origin", "http://localhost");
    }

    private String body(EndpointRequest request, int status) throws IOException {
        try (EndpointResponse response = endpoint.handle(request)) {
            assertThat(response.status()).isEqualTo(status);
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            response.writeTo(body);
            return body.toString(StandardCharsets.UTF_8);
        }
    }

    @Test
    void thePageHasTheHeaderOfItsRequest() throws IOException {
        EndpointRequest.Builder page = request("GET", "/debug/heapsampler/");

        assertThat(body(page.build(), 200))
                .contains("data-header=\"\" data-header-value=\"\"")
                .doesNotContain("@TOKEN@");
        assertThat(body(page.pageHeader("X-CSRF-TOKEN", "\"><b>'&").build(), 200))
                .contains(
                        "data-header=\"X-CSRF-TOKEN\""
                                + " data-header-value=\"&quot;&gt;&lt;b&gt;&#39;&amp;\"");
    }

    @Test
    void noPostAllowsCollectionsThatAreSwitchedOffForGood() throws IOException {
        String gc = "/debug/heapsampler/gc";

        assertThat(body(request("POST", gc).query("allowed=true").build(), 403))
                .isEqualTo("Forced collections are disabled permanently.\n");
        assertThat(body(request("POST", gc).query("allowed=false").build(), 200))
                .contains("\"gcAllowed\":false");
    }
}

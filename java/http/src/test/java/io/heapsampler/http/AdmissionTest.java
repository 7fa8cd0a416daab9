// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static io.heapsampler.http.Asking.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heapsampler.http.Asking.Answer;
import io.heapsampler.http.Gatekeeper.Token;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One test for each lesson that others learnt the hard way about admission. */
class AdmissionTest extends EndpointCase {

    // --- Who is let in

    @Test
    void clientOfAnotherMachineIsRefused() throws Exception {
        for (InetAddress address :
                new InetAddress[] {
                    InetAddress.getByName("192.0.2.7"), InetAddress.getByName("2001:db8::1"), null
                }) {
            EndpointRequest request =
                    Asking.request("GET", HEAP)
                            .header("Host", "localhost")
                            .remoteAddress(address)
                            .build();
            Answer answer = Asking.answer(open, request);

            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.text())
                    .isEqualTo(
                            "Only clients on the same machine are served. Set a token with"
                                    + " EndpointOptions.token() to allow others.\n");
        }
        assertThat(source.calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "x-forwarded-host"})
    void clientBehindAProxyIsNotLocal(String header) {
        assertThat(ask(open, "GET", HEAP, header + ": 127.0.0.1").status()).isEqualTo(403);
    }

    @Test
    void clientsWithoutProofAreServedOnlyIfTheOptionsAllowIt() throws Exception {
        HeapSamplerEndpoint allowing = endpoint(EndpointOptions.builder().allowUnauthenticated());
        EndpointRequest request =
                Asking.request("GET", HEAP)
                        .header("Host", "192.0.2.1:6060")
                        .remoteAddress(InetAddress.getByName("192.0.2.7"))
                        .build();

        assertThat(Asking.answer(allowing, request).status()).isEqualTo(200);
    }

    @Test
    void authenticatorDecidesAboutEveryClient() {
        HeapSamplerEndpoint mine =
                endpoint(
                        EndpointOptions.builder()
                                .authenticator(r -> "me".equals(r.header("X-User"))));

        assertThat(ask(mine, "GET", HEAP).status()).isEqualTo(401);
        assertThat(ask(mine, "GET", HEAP, "X-User: me").status()).isEqualTo(200);
        // What the application knows a client by may be sent by a browser on its own.
        assertThat(ask(mine, "POST", PAGE + "stop", "X-User: me").status()).isEqualTo(403);
    }

    @Test
    void apiClientOfTheApplicationNeedsNoOrigin() {
        HeapSamplerEndpoint mine =
                endpoint(
                        EndpointOptions.builder()
                                .apiAuthenticator(r -> "key".equals(r.header("X-Api-Key")))
                                .authenticator(r -> "me".equals(r.header("Cookie"))));

        assertThat(ask(mine, "POST", PAGE + "stop").status()).isEqualTo(401);
        assertThat(ask(mine, "POST", PAGE + "stop", "Cookie: me").status()).isEqualTo(403);
        assertThat(ask(mine, "POST", PAGE + "stop", "X-Api-Key: key").status()).isEqualTo(200);
        assertThat(ask(mine, "GET", HEAP, "Cookie: me").status()).isEqualTo(200);
        HeapSamplerEndpoint onlyApi =
                endpoint(EndpointOptions.builder().apiAuthenticator(r -> false));
        assertThat(ask(onlyApi, "GET", HEAP).status()).isEqualTo(401);
    }

    @Test
    void aTokenMatchesOnlyItself() {
        Token token = new Token(Contract.TOKEN);
        assertThat(token.matches(Contract.TOKEN)).isTrue();
        assertThat(token.matches(Contract.TOKEN + "x")).isFalse();
        assertThat(token.matches("")).isFalse();
        for (int i = 0; i < Contract.TOKEN.length(); i++) {
            StringBuilder other = new StringBuilder(Contract.TOKEN);
            other.setCharAt(i, other.charAt(i) == '~' ? '!' : '~');
            assertThat(token.matches(other.toString())).as(other.toString()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "short", "fifteen-letters", "sixteen letters!", "0123456789abcde\u00e9"})
    void weakTokenIsRefused(String secret) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EndpointOptions.builder().token(secret))
                .withMessageContaining(
                        "A token needs 16 or more printable ASCII characters without spaces")
                .withMessageContaining("openssl rand -hex 32")
                .satisfies(
                        e -> {
                            if (!secret.isEmpty()) {
                                assertThat(e.getMessage()).doesNotContain(secret);
                            }
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?token=" + Contract.TOKEN,
                "?access_token=" + Contract.TOKEN,
                "?Authorization=Bearer+" + Contract.TOKEN
            })
    void tokenInAUrlIsIgnored(String query) {
        assertThat(ask(secured, "GET", HEAP + query).status()).isEqualTo(401);
        Answer form = post(secured, PAGE + "start", "token=" + Contract.TOKEN);
        assertThat(form.status()).isEqualTo(401);
    }

    @Test
    void twoAuthorizationsAreNone() {
        String right = "Authorization: Bearer " + Contract.TOKEN;
        assertThat(ask(secured, "GET", HEAP, "Authorization: Bearer x", right).status())
                .isEqualTo(401);
    }

    @Test
    void basicAuthenticationIsForBrowsers() {
        String pair = "anyone:" + Contract.TOKEN;
        String basic =
                "Authorization: Basic "
                        + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        assertThat(ask(secured, "GET", HEAP, basic).status()).isEqualTo(200);
        assertThat(ask(secured, "GET", HEAP).headers().get("WWW-Authenticate"))
                .startsWith("Basic realm=");
        assertThat(ask(secured, "POST", PAGE + "stop", basic).status()).isEqualTo(403);
        assertThat(ask(secured, "POST", PAGE + "stop", basic, "Origin: http://localhost").status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "LOCALHOST:8080, 200",
        "127.0.0.1, 200",
        "127.0.0.1:6060, 200",
        "192.0.2.9:80, 200",
        "[::1], 200",
        "[::1]:6060, 200",
        "shop.internal, 200",
        "Shop.Internal:8443, 200",
        "evil.example, 403",
        "evil.example:6060, 403",
        "localhost.evil.example, 403",
        "127.0.0.1.evil.example, 403",
        "evil.example#localhost, 403",
        "localhost:80:80, 403",
        "localhost:x, 403",
        "user@localhost, 403",
        "[::1].evil.example, 403",
        "1.2.3.4.5, 403",
        "255.255.255.255, 200",
        "999.999.999.999, 403",
        "256.0.0.1, 403",
        "127.0.0.01, 403",
        "'', 403"
    })
    void nameThatLeadsHereFromOutsideIsRefused(String host, int status) {
        HeapSamplerEndpoint endpoint = endpoint(EndpointOptions.builder().host("Shop.internal"));

        assertThat(ask(endpoint, "GET", HEAP, "Host: " + host).status()).isEqualTo(status);
    }

    @Test
    void requestNeedsExactlyOneHost() {
        assertThat(ask(open, "GET", HEAP, "Host: localhost", "Host: localhost").status())
                .isEqualTo(400);
        EndpointRequest none = Asking.request("GET", HEAP).build();
        assertThat(Asking.answer(open, none).status()).isEqualTo(400);
    }

    @Test
    void otherAddressNeedsADecision() {
        assertThatThrownBy(
                        () ->
                                HeapSamplerServer.builder()
                                        .address(InetAddress.getByName("0.0.0.0"))
                                        .port(0)
                                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "The server would listen on 0.0.0.0, where other machines can reach it, and"
                                + " its options do not decide which clients are served. Set"
                                + " EndpointOptions.token() or authenticator(), or call"
                                + " allowUnauthenticated() to serve every client.");
    }

    // --- What a foreign page can do

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Origin: http://localhost | 200",
                "Origin: https://localhost | 200",
                "Sec-Fetch-Site: same-origin | 200",
                "Origin: http://evil.example | 403",
                "Origin: http://localhost:8081 | 403",
                "Origin: http://localhost.evil.example | 403",
                "Origin: null | 403",
                "Sec-Fetch-Site: cross-site | 403",
                "Sec-Fetch-Site: same-site | 403",
                "Sec-Fetch-Site: none | 403",
                "Referer: http://localhost/ | 403",
                "X-Requested-With: XMLHttpRequest | 403"
            })
    void foreignPageCannotChangeAnything(String header, int status) {
        for (String name :
                List.of("start", "stop", "reset", "interval?interval=65536", "gc?allowed=true")) {
            assertThat(ask(open, "POST", PAGE + name, header).status()).isEqualTo(status);
        }
        assertThat(source.calls).hasSize(status == 200 ? 4 : 0);
    }

    @Test
    void twoProofsThatDisagreeAreNone() {
        Answer answer =
                ask(
                        open,
                        "POST",
                        PAGE + "stop",
                        "Origin: http://localhost",
                        "Sec-Fetch-Site: cross-site");
        assertThat(answer.status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "post"})
    void nothingButPostChangesAnything(String method) {
        for (String name :
                List.of("start", "stop", "reset", "interval?interval=65536", "gc?allowed=false")) {
            Answer answer = ask(open, method, PAGE + name, "Origin: http://localhost");
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.headers()).containsEntry("Allow", "POST");
        }
        assertThat(source.calls).isEmpty();
        assertThat(ask(open, "GET", PAGE + "status.json").text()).contains("\"gcAllowed\":true");
    }

    @Test
    void readOnlyEndpointChangesNothing() {
        HeapSamplerEndpoint readOnly = endpoint(EndpointOptions.builder().readOnly());

        assertThat(post(readOnly, PAGE + "stop", "").text())
                .isEqualTo("The sampler can only be read here.\n");
        assertThat(ask(readOnly, "GET", PAGE).text()).contains("aria-label=\"Control\" hidden>");
        assertThat(source.calls).isEmpty();
    }

    @Test
    void noAnswerAllowsAnotherOrigin() {
        for (String method : List.of("GET", "OPTIONS", "POST")) {
            Answer answer =
                    ask(
                            open,
                            method,
                            HEAP,
                            "Origin: http://evil.example",
                            "Access-Control-Request-Method: GET");
            assertThat(answer.headers().keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control"));
            assertThat(answer.headers())
                    .containsEntry("Cross-Origin-Resource-Policy", "same-origin");
        }
    }
}

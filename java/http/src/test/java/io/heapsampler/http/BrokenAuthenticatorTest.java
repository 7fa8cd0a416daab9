// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.http.RawClient.Reply;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * An authenticator of the application may fail: clients can make it do so before they are known.
 */
class BrokenAuthenticatorTest extends EndpointCase {

    private static final int REQUESTS = 5;

    private static HeapSamplerServer server(Supplier<Error> failure) throws IOException {
        EndpointOptions options =
                EndpointOptions.builder()
                        .authenticator(
                                request -> {
                                    throw failure.get();
                                })
                        .build();
        return HeapSamplerServer.builder().port(0).options(options).start();
    }

    private static byte[] answer(HeapSamplerServer server) throws IOException {
        try (Socket socket = RawClient.connect(server.address().getPort())) {
            socket.setSoTimeout(20_000);
            String request = RawClient.request("GET", HEAP, "");
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return RawClient.readToTheEnd(socket);
        }
    }

    @Test
    void errorGetsAResponseAndTheConnectionIsForgotten() throws Exception {
        List<Supplier<Error>> failures =
                List.of(
                        () -> new NoClassDefFoundError("made up"),
                        () -> new StackOverflowError("made up"),
                        () -> new AssertionError("made up"));
        for (Supplier<Error> failure : failures) {
            try (Logged log = new Logged();
                    HeapSamplerServer server = server(failure)) {
                long before = Connections.count();
                for (int i = 0; i < REQUESTS; i++) {
                    Reply reply = RawClient.parse(answer(server), false);
                    assertThat(reply.status()).isEqualTo(500);
                    assertThat(reply.isWhole()).isTrue();
                }
                assertThat(Until.within(20, () -> Connections.count() <= before)).isTrue();
                assertThat(log.lines()).singleElement().asString().contains("WARNING", "made up");
            }
        }
    }

    /** One that no answer is made of. */
    private static final class Odd extends Error {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void errorWithoutAnswerClosesTheConnection() throws Exception {
        try (Logged log = new Logged();
                HeapSamplerServer server = server(Odd::new)) {
            long before = Connections.count();
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(answer(server)).isEmpty();
            }
            assertThat(Until.within(20, () -> Connections.count() <= before)).isTrue();
            assertThat(log.lines()).singleElement().asString().contains("WARNING", "Odd");
        }
    }

    /** Throws IllegalArgumentException for malformed Base64. */
    private static boolean decodes(EndpointRequest request) {
        return Base64.getDecoder().decode(request.header("X-Key")).length > 0;
    }

    @Test
    void exceptionRefusesTheClientAndIsLoggedOnceAMinute() {
        Predicate<EndpointRequest> decodes = BrokenAuthenticatorTest::decodes;
        for (HeapSamplerEndpoint endpoint :
                List.of(
                        endpoint(EndpointOptions.builder().authenticator(decodes)),
                        endpoint(EndpointOptions.builder().apiAuthenticator(decodes)))) {
            try (Logged log = new Logged()) {
                for (int i = 0; i < 50; i++) {
                    assertThat(ask(endpoint, "GET", HEAP, "X-Key: ?").status()).isEqualTo(401);
                }
                assertThat(log.lines()).hasSize(2);
                assertThat(log.lines())
                        .filteredOn(line -> line.contains("IllegalArgumentException"))
                        .singleElement()
                        .asString()
                        .startsWith("WARNING An authenticator of the application failed");
            }
            assertThat(ask(endpoint, "GET", HEAP, "X-Key: abcd").status()).isEqualTo(200);
        }
    }

    @Test
    void otherFailuresAreLoggedOnceAMinute() {
        source.failure = new IllegalStateException("broken on purpose");
        try (Logged log = new Logged()) {
            for (int i = 0; i < 50; i++) {
                assertThat(ask(open, "GET", HEAP).status()).isEqualTo(500);
            }
            assertThat(log.lines()).singleElement().asString().contains("broken on purpose");
        }
    }
}

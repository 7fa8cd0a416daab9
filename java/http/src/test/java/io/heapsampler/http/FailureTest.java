// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static io.heapsampler.http.Asking.ask;
import static io.heapsampler.http.Asking.post;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.http.Asking.Answer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A client learns that something failed, and the operator what. */
class FailureTest extends EndpointCase {

    private static final String PATH = "/opt/secret/libheapsampler.so";

    @Test
    void unavailableSamplerKeepsItsPathsToItself() {
        source.failure =
                new HeapSamplingUnavailableException(
                        Reason.LIBRARY_NOT_LOADED, "Cannot load " + PATH + ".", null);
        try (Logged log = new Logged()) {
            for (int i = 0; i < 3; i++) {
                Answer answer = ask(open, "GET", HEAP);
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.text())
                        .isEqualTo(
                                "The sampler is not available (LIBRARY_NOT_LOADED). The log of the"
                                        + " application says why.\n");
            }
            assertThat(log.lines()).singleElement().asString().contains("WARNING", PATH);
        }
    }

    @Test
    void faultOfOursIsNoConflict() {
        source.failure = new IllegalStateException("broken on purpose in " + PATH);
        try (Logged log = new Logged()) {
            Answer answer = ask(open, "GET", HEAP);

            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text())
                    .isEqualTo("This failed. The log of the application says why.\n");
            assertThat(log.lines()).singleElement().asString().contains("WARNING", PATH);
        }
    }

    @Test
    void intervalIsAConflictWhereAllocationsAreCounted() {
        HeapSampler.stop();
        HeapSampler.reset();
        HeapSampler.start(
                SamplerOptions.builder().strategy(SamplingStrategy.allocations(50)).build());
        try {
            Answer answer = post(open, PAGE + "interval", "interval=65536");
            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.text())
                    .isEqualTo(
                            "The sampler counts allocations, so that it has no interval in bytes."
                                + " The application chose this strategy and can choose another.\n");
            assertThat(source.calls).isEmpty();
        } finally {
            HeapSampler.stop();
            HeapSampler.reset();
            HeapSampler.start(
                    SamplerOptions.builder().strategy(SamplingStrategy.bytes(65_536)).build());
        }
    }

    @Test
    void failedAuthenticationsAreLoggedOnceAMinute() {
        try (Logged log = new Logged()) {
            for (int i = 0; i < 50; i++) {
                assertThat(ask(secured, "GET", HEAP, "Authorization: Bearer wrong").status())
                        .isEqualTo(401);
            }
            assertThat(log.lines())
                    .containsExactly(
                            "WARNING A request from 127.0.0.1 was refused with 401: it showed no"
                                    + " valid credentials. null");
        }
    }

    /** So begins the first request of each browser. */
    @Test
    void requestWithoutCredentialsIsNotLogged() {
        HeapSamplerEndpoint mine = endpoint(EndpointOptions.builder().authenticator(r -> false));
        try (Logged log = new Logged()) {
            assertThat(ask(secured, "GET", HEAP).status()).isEqualTo(401);
            assertThat(log.lines()).isEmpty();
            assertThat(ask(secured, "GET", HEAP, "Authorization: Basic eDp5").status())
                    .isEqualTo(401);
            assertThat(log.lines()).hasSize(1);
            assertThat(ask(mine, "GET", HEAP).status()).isEqualTo(401);
            assertThat(log.lines()).as("an authenticator may go by anything").hasSize(2);
        }
    }

    @Test
    void lineOfTheNextMinuteCountsThoseLeftOut() {
        AtomicLong now = new AtomicLong(-5);
        SeldomLog seldom = new SeldomLog(now::get);
        try (Logged log = new Logged()) {
            seldom.warn("first.", null);
            seldom.warn("second.", null);
            now.addAndGet(TimeUnit.SECONDS.toNanos(59));
            seldom.warn("third.", null);
            now.addAndGet(TimeUnit.SECONDS.toNanos(1));
            seldom.warn("fourth.", null);
            now.addAndGet(TimeUnit.SECONDS.toNanos(60));
            seldom.warn("fifth.", null);

            assertThat(log.lines())
                    .containsExactly(
                            "WARNING first. null",
                            "WARNING fourth. Not logged since the last such line: 2. null",
                            "WARNING fifth. null");
        }
    }
}

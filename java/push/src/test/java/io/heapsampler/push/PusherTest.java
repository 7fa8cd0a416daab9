// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static io.heapsampler.push.FakeReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerState;
import io.heapsampler.internal.shared.SampleSource;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is pushed to a slow, failing or wrong receiver. */
@Timeout(600)
class PusherTest extends PusherCase {

    @Test
    void pushesAgainAndAgainFromADaemonThread() throws Exception {
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            receiver.take();
            receiver.take();
            await("counted", () -> push.status().delivered() >= 2);

            assertThat(push.status().lastDeliveredAt()).isNotNull();
            assertThat(push.status().lastError()).isNull();
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().equals("heapsampler-push-pyroscope"))
                    .isNotEmpty()
                    .allMatch(Thread::isDaemon);
        }
        assertThat(warnings.texts()).isEmpty();
    }

    @Test
    void sendsTheSameAgainAfterAFailure() throws Exception {
        receiver.then(status(503, "try later")).then(status(429, "slowly"));
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            byte[] first = receiver.take().body();

            assertThat(receiver.take().body()).isEqualTo(first);
            assertThat(receiver.take().body()).isEqualTo(first);
            assertThat(receiver.take().body()).isNotEqualTo(first);
            assertThat(push.status().dropped()).isEmpty();
        }
        assertThat(warnings.texts())
                .contains(
                        "WARNING pyroscope: "
                                + receiver.address()
                                + "/push.v1.PusherService/Push returned 503: try later. Profiles"
                                + " are kept and sent again.");
    }

    @Test
    void waitsAsLongAsTheReceiverAsks() throws Exception {
        receiver.then(status(429, "", "Retry-After", "1"));
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            long refused = receiver.take().nanoTime();
            long again = receiver.take().nanoTime();

            assertThat(Duration.ofNanos(again - refused)).isGreaterThan(Duration.ofMillis(999));
            assertThat(push.status().dropped()).isEmpty();
        }
    }

    @Test
    void whatIsRefusedIsDroppedAndTheCauseLoggedOnce() throws Exception {
        for (int i = 0; i < 5; i++) {
            receiver.then(status(401, "no\nrights"));
        }
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            await("delivered", () -> push.status().delivered() > 0);

            String text =
                    receiver.address()
                            + "/push.v1.PusherService/Push returned 401: no rights. The profile is"
                            + " dropped. Set PushBuilder.bearerToken(), basicAuth() or header() as"
                            + " it requires.";
            assertThat(dropped(push, PushDrop.REFUSED)).isEqualTo(5);
            assertThat(push.status().lastError()).isEqualTo(text);
            assertThat(warnings.texts()).containsExactly("WARNING pyroscope: " + text);
        }
    }

    @Test
    void saysWhereARedirectLeads() throws Exception {
        receiver.then(status(308, "", "Location", "https://other/"));
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            await("logged", () -> !warnings.texts().isEmpty());
            assertThat(dropped(push, PushDrop.REFUSED)).isEqualTo(1);

            assertThat(warnings.texts().get(0))
                    .endsWith("Give the address that it leads to: https://other/");
        }
    }

    @Test
    void anAddressOfARedirectIsShortenedLikeOtherTextOfAReceiver() throws Exception {
        receiver.then(status(308, "", "Location", "https://other/" + "x".repeat(1_000)));
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            await("logged", () -> !warnings.texts().isEmpty());
            assertThat(dropped(push, PushDrop.REFUSED)).isEqualTo(1);

            assertThat(warnings.texts().get(0)).endsWith(": https://other/" + "x".repeat(286));
        }
    }

    @Test
    void keepsNoMoreThanItMay() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            receiver.then(status(503, ""));
        }
        AtomicInteger seed = new AtomicInteger();
        PyroscopePushBuilder options = pyroscope(TICK).maxQueueBytes(64 * 1024);
        try (ProfilePush push =
                push(
                        options.closeTimeout(Duration.ZERO),
                        () -> Heaps.large(300, seed.getAndIncrement()))) {
            await("full", () -> dropped(push, PushDrop.QUEUE_FULL) >= 3);

            assertThat(push.status().queuedBytes()).isBetween(1L, 64L * 1024);
            assertThat(push.status().queued()).isBetween(1, 4);
        }
    }

    @Test
    void whatIsTooLargeIsDroppedAlone() throws Exception {
        AtomicInteger taken = new AtomicInteger();
        PyroscopePushBuilder options = pyroscope(TICK).maxQueueBytes(64 * 1024);
        try (ProfilePush push =
                push(
                        options,
                        () -> taken.getAndIncrement() == 1 ? Heaps.large(10_000, 1) : heap())) {
            await("too large", () -> dropped(push, PushDrop.TOO_LARGE) == 1);
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(warnings.texts())
                    .containsExactly(
                            "WARNING pyroscope: a profile has more than 65536 bytes and is dropped."
                                    + " Raise PushBuilder.maxQueueBytes(), or lower maxSites().");
        }
    }

    @Test
    void aReceiverThatHangsIsGivenUpAndAskedAgain() throws Exception {
        receiver.then(receiver.silence()).then(receiver.endless());
        try (ProfilePush push = push(pyroscope(TICK).timeout(Duration.ofMillis(200)), this::heap)) {
            byte[] first = receiver.take().body();

            assertThat(receiver.take().body()).isEqualTo(first);
            await("delivered", () -> push.status().delivered() > 0);
            assertThat(push.status().dropped()).isEmpty();
            assertThat(warnings.texts())
                    .contains(
                            "WARNING pyroscope: "
                                    + receiver.address()
                                    + "/push.v1.PusherService/Push gave no answer within 200 ms."
                                    + " Profiles are kept and sent again. A slow receiver needs a"
                                    + " longer PushBuilder.timeout().");
        }
    }

    @Test
    void goesOnAfterASnapshotThatFailed() throws Exception {
        AtomicInteger taken = new AtomicInteger();
        Supplier<HeapSnapshot> failing =
                () -> {
                    switch (taken.getAndIncrement()) {
                        case 0 -> throw new IllegalStateException("no room");
                        case 1 -> throw new OutOfMemoryError("heap");
                        default -> {
                            return heap();
                        }
                    }
                };
        try (ProfilePush push = push(pyroscope(TICK), failing)) {
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(dropped(push, PushDrop.NOT_MADE)).isEqualTo(2);
            assertThat(warnings.texts())
                    .containsExactly(
                            "WARNING pyroscope: no profile could be made:"
                                    + " java.lang.IllegalStateException: no room. The next interval"
                                    + " is tried again.",
                            "WARNING pyroscope: no profile could be made:"
                                    + " java.lang.OutOfMemoryError: heap. The next interval is"
                                    + " tried again.");
        }
    }

    @Test
    void goesOnAfterAnErrorAtTheBeginning() throws Exception {
        AtomicInteger taken = new AtomicInteger();
        Supplier<HeapSnapshot> failing =
                () -> {
                    if (taken.getAndIncrement() == 0) {
                        throw new NoClassDefFoundError("first");
                    }
                    return heap();
                };
        try (ProfilePush push = push(pyroscope(TICK), failing)) {
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(dropped(push, PushDrop.NOT_MADE)).isOne();
        }
    }

    @Test
    void reportsAClosedPort() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        URI address = URI.create("http://127.0.0.1:" + port);
        try (ProfilePush push = otlp(address, TICK).closeTimeout(Duration.ZERO).start()) {
            await("failed", () -> push.status().lastError() != null);

            assertThat(push.status().lastError())
                    .startsWith(address + "/v1development/profiles cannot be reached: ")
                    .endsWith(
                            ". Profiles are kept and sent again. Is the receiver running, and is"
                                    + " this its address?");
            assertThat(push.status().queued()).isPositive();
        }
    }

    @Test
    void sendsWithTheClientOfTheApplication() throws Exception {
        InetSocketAddress proxy = new InetSocketAddress("127.0.0.1", receiver.address().getPort());
        HttpClient client = HttpClient.newBuilder().proxy(ProxySelector.of(proxy)).build();
        URI address = URI.create("http://collector.invalid:4318");
        try (ProfilePush push = otlp(address, TICK).httpClient(client).start()) {
            FakeReceiver.Request request = receiver.take();

            assertThat(request.uri()).isEqualTo(address.resolve("/v1development/profiles"));
            await("delivered", () -> push.status().delivered() > 0);
        }
    }

    @Test
    void readsTheBeginningOfALongAnswerOnly() throws Exception {
        receiver.then(status(400, "x".repeat(5_000_000)));
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            await("logged", () -> !warnings.texts().isEmpty());
            assertThat(dropped(push, PushDrop.REFUSED)).isEqualTo(1);

            assertThat(warnings.texts().get(0).length()).isLessThan(600);
        }
    }

    @Test
    void aPartialSuccessIsCountedAndTold() throws Exception {
        // partial_success { rejected_profiles: 2, error_message: "full" }
        receiver.then(status(200, "\n\b\b\u0002\u0012\u0004full"));
        try (ProfilePush push = otlp(receiver.address(), TICK).start()) {
            await("logged", () -> push.status().lastError() != null);

            assertThat(push.status().lastError())
                    .isEqualTo(
                            receiver.address()
                                    + "/v1development/profiles did not take all of a profile: 2"
                                    + " rejected. full");
            assertThat(push.status().dropped()).containsEntry(PushDrop.REFUSED, 1L);
        }
    }

    @Test
    void aWarningOfOtlpIsNoLoss() throws Exception {
        // partial_success { error_message: "old" }
        receiver.then(status(200, "\n\u0005\u0012\u0003old"));
        try (ProfilePush push = otlp(receiver.address(), TICK).start()) {
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(push.status().dropped()).isEmpty();
        }
        assertThat(warnings.texts())
                .containsExactly(
                        "WARNING otlp: "
                                + receiver.address()
                                + "/v1development/profiles took a profile, and warns: old");
    }

    @Test
    void whatTheReceiverFailsOnHoldsUpNothingElse() throws Exception {
        receiver.then(status(500, "")).then(status(500, "")).then(status(500, ""));
        try (ProfilePush push = push(pyroscope(TICK), this::heap)) {
            byte[] poison = receiver.take().body();
            List<byte[]> next = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                next.add(receiver.take().body());
            }

            assertThat(next).anyMatch(body -> !Arrays.equals(body, poison));
            assertThat(push.status().dropped()).isEmpty();
        }
    }

    @Test
    void goesOnAfterAClientThatThrew() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        HttpClient real = HttpClient.newHttpClient();
        HttpClient client =
                new FailingClient(
                        real,
                        () -> {
                            if (calls.getAndIncrement() == 0) {
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                        });
        try (ProfilePush push = push(pyroscope(TICK).httpClient(client), this::heap)) {
            receiver.take();
            await("delivered", () -> push.status().delivered() > 0);

            assertThat(push.status().dropped()).isEmpty();
        }
        assertThat(warnings.texts())
                .containsExactly(
                        "WARNING pyroscope: a profile could not be sent:"
                                + " java.lang.OutOfMemoryError: unable to create native thread."
                                + " Profiles are kept and sent again.");
    }

    @Test
    void onlySomeAnswersOfOtlpAreTemporary() throws Exception {
        receiver.then(status(500, "")).then(status(504, ""));
        try (ProfilePush push = otlp(receiver.address(), TICK).start()) {
            byte[] refused = receiver.take().body();
            byte[] kept = receiver.take().body();

            assertThat(kept).isNotEqualTo(refused);
            assertThat(receiver.take().body()).isEqualTo(kept);
            assertThat(push.status().dropped()).containsEntry(PushDrop.REFUSED, 1L);
        }
    }

    @Test
    void nothingIsPushedOfASamplerThatWasNeverStarted() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        SampleSource source =
                Heaps.source(
                        () -> {
                            asked.incrementAndGet();
                            return SamplerState.NEW;
                        },
                        () -> {
                            throw new AssertionError("a snapshot was taken");
                        });
        try (ProfilePush push = otlp(receiver.address(), TICK).source(source).start()) {
            await("asked", () -> asked.get() > 5);

            assertThat(push.status().delivered()).isZero();
        }
        assertThat(receiver.others()).isEmpty();
    }
}

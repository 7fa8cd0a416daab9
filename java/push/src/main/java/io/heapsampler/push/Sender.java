// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.ByteArrayOutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Sends one request and returns the result. For one thread. */
final class Sender {

    private static final int LONGEST_TEXT = 300;
    private static final String KEPT = "Profiles are kept and sent again.";

    private final URI address;
    private final Receiver receiver;
    private final Duration timeout;
    private final HttpClient client;

    Sender(Receiver receiver) {
        this.address = receiver.address;
        this.receiver = receiver;
        this.timeout = receiver.options.timeout();
        HttpClient given = receiver.options.httpClient();
        this.client = given != null ? given : newClient(receiver.options);
    }

    /**
     * The result of a request.
     *
     * @param cause the same for all results of this kind; empty if there is nothing to log
     * @param text what went wrong, why, and what to try; empty if there is nothing to log
     * @param retryAfter when the receiver wants the next attempt; null if it does not say
     */
    record Answer(Kind kind, String cause, String text, @Nullable Duration retryAfter) {

        enum Kind {
            DELIVERED,

            /** Accepted in part; the rest is lost. */
            PARTLY,

            /** To be sent again. */
            LATER,

            /** To be sent again, after the others: the request may be the reason. */
            BEHIND,

            /** It will never be accepted. */
            REFUSED
        }

        static Answer later(String cause, String text) {
            return new Answer(Kind.LATER, cause, text, null);
        }
    }

    /** Reads the beginning of a response, and cancels the rest. */
    private static final class Excerpt implements HttpResponse.BodySubscriber<byte[]> {

        private static final int LIMIT = 2_048;

        private final CompletableFuture<byte[]> result = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Flow.@Nullable Subscription subscription;

        @Override
        public CompletionStage<byte[]> getBody() {
            return result;
        }

        @Override
        public void onSubscribe(Flow.Subscription value) {
            subscription = value;
            value.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                byte[] part = new byte[Math.min(buffer.remaining(), LIMIT - bytes.size())];
                buffer.get(part);
                bytes.write(part, 0, part.length);
            }
            if (bytes.size() == LIMIT && subscription != null) {
                subscription.cancel();
                onComplete();
            }
        }

        @Override
        public void onError(Throwable error) {
            result.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            result.complete(bytes.toByteArray());
        }
    }

    private static HttpClient newClient(PushOptions options) {
        HttpClient.Builder client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(options.timeout());
        SSLContext context = options.sslContext();
        return (context == null ? client : client.sslContext(context)).build();
    }

    Answer send(HttpRequest request) throws InterruptedException {
        // The client's own timeout ends with the headers of the response.
        CompletableFuture<HttpResponse<byte[]>> response =
                client.sendAsync(request, head -> new Excerpt());
        try {
            return judge(response.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Answer.later(
                    "timeout",
                    "%s gave no answer within %s ms. %s A slow receiver needs a longer"
                                    .formatted(address, timeout.toMillis(), KEPT)
                            + " PushBuilder.timeout().");
        } catch (ExecutionException e) {
            return failed(e.getCause() == null ? e : e.getCause());
        } finally {
            response.cancel(true);
        }
    }

    private Answer judge(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        String cause = "status " + status;
        if (status / 100 == 2) {
            return taken(receiver.complaint(response.body()));
        }
        String said = address + " returned " + status + excerpt(response.body()) + ". ";
        if (receiver.isTemporary(status)) {
            Duration wait =
                    response.headers()
                            .firstValue("Retry-After")
                            .map(value -> Backoff.retryAfter(value, Instant.now()))
                            .orElse(null);
            // 500: perhaps this request makes the receiver fail.
            Answer.Kind kind = status == 500 ? Answer.Kind.BEHIND : Answer.Kind.LATER;
            return new Answer(kind, cause, said + KEPT, wait);
        }
        String text = said + "The profile is dropped. " + hint(status, response);
        return new Answer(Answer.Kind.REFUSED, cause, text.strip(), null);
    }

    private Answer taken(Receiver.@Nullable Complaint complaint) {
        if (complaint == null) {
            return new Answer(Answer.Kind.DELIVERED, "", "", null);
        }
        String text = plain(complaint.text());
        if (complaint.isLoss()) {
            String loss = address + " did not take all of a profile: " + text;
            return new Answer(Answer.Kind.PARTLY, "partly", loss, null);
        }
        String warning = address + " took a profile, and warns: " + text;
        return new Answer(Answer.Kind.DELIVERED, "warning", warning, null);
    }

    private static String hint(int status, HttpResponse<byte[]> response) {
        return switch (status) {
            case 301, 302, 303, 307, 308 ->
                    "Give the address that it leads to: "
                            + response.headers()
                                    .firstValue("Location")
                                    .map(Sender::plain)
                                    .orElse("?");
            case 401, 403, 407 ->
                    "Set PushBuilder.bearerToken(), basicAuth() or header() as it requires.";
            case 404, 405 ->
                    "Is this the address of the receiver, without the path of its API, and does the"
                            + " receiver have that API switched on?";
            case 413 -> "Lower PushBuilder.maxSites(), or raise the receiver's limit.";
            default -> "";
        };
    }

    private Answer failed(Throwable cause) {
        String text;
        if (cause instanceof SSLException) {
            text =
                    ("TLS with %s failed: %s. %s If the receiver's certificate is self-signed or"
                                    + " signed by a private authority, give"
                                    + " PushBuilder.sslContext() a context that trusts it.")
                            .formatted(address, plain(cause.getMessage()), KEPT);
        } else {
            String question =
                    mayBeTls(cause)
                            ? "is this its address, and does it speak TLS?"
                            : "and is this its address?";
            text =
                    "%s cannot be reached: %s. %s Is the receiver running, %s"
                            .formatted(address, reason(cause), KEPT, question);
        }
        return Answer.later(cause.getClass().getName(), text);
    }

    /**
     * Returns whether a failed handshake can be the reason: the client sometimes reports only that
     * the connection has ended.
     */
    private boolean mayBeTls(Throwable cause) {
        return "https".equalsIgnoreCase(address.getScheme())
                && !(cause instanceof ConnectException
                        || cause instanceof HttpConnectTimeoutException);
    }

    private String reason(Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof UnresolvedAddressException) {
                return "the name " + address.getHost() + " cannot be resolved";
            }
            if (at.getMessage() != null) {
                return plain(at.getMessage());
            }
        }
        return cause instanceof ConnectException
                ? "no connection could be made"
                : cause.getClass().getSimpleName();
    }

    private static String excerpt(byte[] body) {
        String text = plain(new String(body, StandardCharsets.UTF_8)).strip();
        return text.isEmpty() ? "" : ": " + text;
    }

    /** On one line and short, so that text of a receiver cannot look like a line of the log. */
    private static String plain(@Nullable String text) {
        StringBuilder plain = new StringBuilder();
        String.valueOf(text)
                .codePoints()
                .limit(LONGEST_TEXT)
                .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
                .forEach(plain::appendCodePoint);
        return plain.toString();
    }
}

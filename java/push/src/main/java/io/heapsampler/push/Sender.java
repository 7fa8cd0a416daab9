// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Sends one request and says what became of it. */
final class Sender {

    private static final int LONGEST_EXCERPT = 300;

    private final URI address;
    private final Receiver receiver;
    private final PushOptions options;
    private final HttpClient client;

    Sender(URI address, Receiver receiver, PushOptions options) {
        this.address = address;
        this.receiver = receiver;
        this.options = options;
        HttpClient given = options.httpClient();
        this.client = given != null ? given : newClient(options);
    }

    private static HttpClient newClient(PushOptions options) {
        HttpClient.Builder client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(options.timeout());
        SSLContext context = options.sslContext();
        return (context == null ? client : client.sslContext(context)).build();
    }

    Answer send(Payload payload) throws InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(payload.uri())
                        .POST(HttpRequest.BodyPublishers.ofByteArray(payload.body()))
                        .header("Content-Type", payload.contentType());
        String encoding = payload.encoding();
        if (encoding != null) {
            request.header("Content-Encoding", encoding);
        }
        options.headers().forEach(request::setHeader);
        // The client's own time limit ends with the headers of the answer.
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request.build(), head -> new Excerpt());
        try {
            return judge(answer.get(options.timeout().toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Answer.later(
                    "timeout",
                    address
                            + " gave no answer within "
                            + options.timeout().toMillis()
                            + " ms. Profiles are kept and sent again. A slow receiver needs a"
                            + " longer PushBuilder.timeout().");
        } catch (ExecutionException e) {
            return failed(e.getCause() == null ? e : e.getCause());
        } finally {
            answer.cancel(true);
        }
    }

    private Answer judge(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        String cause = "status " + status;
        if (status / 100 == 2) {
            return taken(receiver.complaint(response.body()));
        }
        String said = address + " answered " + status + excerpt(response.body()) + ". ";
        if (receiver.isTemporary(status)) {
            Duration asked =
                    response.headers()
                            .firstValue("Retry-After")
                            .map(value -> Backoff.retryAfter(value, Instant.now()))
                            .orElse(null);
            String text = said + "Profiles are kept and sent again.";
            // 500: this request is perhaps what it fails on.
            Answer.Kind kind = status == 500 ? Answer.Kind.BEHIND : Answer.Kind.LATER;
            return new Answer(kind, cause, text, asked);
        }
        String text = said + "The profile is dropped. " + hint(status, response);
        return new Answer(Answer.Kind.REFUSED, cause, text.strip(), null);
    }

    private Answer taken(Receiver.@Nullable Complaint complaint) {
        if (complaint == null) {
            return Answer.DELIVERED;
        }
        String text = plain(complaint.text());
        return complaint.isLoss()
                ? new Answer(
                        Answer.Kind.PARTLY,
                        "partly",
                        address + " did not take all of a profile: " + text,
                        null)
                : new Answer(
                        Answer.Kind.DELIVERED,
                        "warning",
                        address + " took a profile, and warns: " + text,
                        null);
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
                    "Set PushBuilder.bearerToken(), basicAuth() or header() to what it asks for.";
            case 404, 405 ->
                    "Is this the address of the receiver, without the path of its API, and does the"
                            + " receiver have that API switched on?";
            case 413 -> "Lower PushBuilder.maxSites(), or raise the receiver's limit.";
            default -> "";
        };
    }

    private Answer failed(Throwable cause) {
        String kind = cause.getClass().getName();
        if (cause instanceof SSLException) {
            return Answer.later(
                    kind,
                    "TLS with "
                            + address
                            + " failed: "
                            + plain(String.valueOf(cause.getMessage()))
                            + ". Profiles are kept and sent again. If an authority of your own"
                            + " signed the receiver's certificate, or nobody did, give"
                            + " PushBuilder.sslContext() a context that trusts it.");
        }
        return Answer.later(
                kind,
                address
                        + " cannot be reached: "
                        + reason(cause)
                        + ". Profiles are kept and sent again. Is the receiver running, "
                        + (mayBeTls(cause)
                                ? "is this its address, and does it speak TLS?"
                                : "and is this its address?"));
    }

    /**
     * Whether a failed handshake may be behind a connection that ended: the client sometimes
     * reports the end only, without the reason that it ended for.
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

    /** On one line, and not too long. What a receiver says must not look like a line of the log. */
    private static String plain(@Nullable String text) {
        StringBuilder plain = new StringBuilder();
        String.valueOf(text)
                .codePoints()
                .limit(LONGEST_EXCERPT)
                .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
                .forEach(plain::appendCodePoint);
        return plain.toString();
    }
}

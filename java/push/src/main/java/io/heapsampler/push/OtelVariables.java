// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The variables of an OTLP exporter, as OpenTelemetry specifies them. Where it has a variable for a
 * signal, that of profiles wins over the one for all signals. An empty variable is not set. Invalid
 * values are refused with {@link IllegalArgumentException}.
 */
final class OtelVariables {

    private static final String ALL = "OTEL_EXPORTER_OTLP_";
    private static final String PROFILES = "OTEL_EXPORTER_OTLP_PROFILES_";
    static final String DISABLED = "OTEL_SDK_DISABLED";

    private static final System.Logger LOG = System.getLogger("io.heapsampler.push");

    private static final String SERVICE_NAME = "OTEL_SERVICE_NAME";
    private static final String RESOURCE = "OTEL_RESOURCE_ATTRIBUTES";
    static final String SERVICE_KEY = "service.name";

    private static final String PROTOCOL = "http/protobuf";
    private static final long MIN_TIMEOUT = 100;
    private static final long MAX_TIMEOUT = Duration.ofDays(1).toMillis();

    /** For 0, which is no limit by the specification; one request delays all that follow. */
    private static final Duration LONG_TIMEOUT = Duration.ofMinutes(10);

    private final Function<String, @Nullable String> environment;

    OtelVariables(Function<String, @Nullable String> environment) {
        this.environment = environment;
    }

    /** A variable that is set. */
    record Variable(String name, String value) {

        IllegalArgumentException refused(String allowed) {
            return new IllegalArgumentException(
                    name + " is \"" + value + "\", but must be " + allowed + ".");
        }

        /** For values that may have a secret in them. */
        IllegalArgumentException refusedUnseen(String reason) {
            return new IllegalArgumentException(
                    name + " " + reason + ". Its value is not shown, because it may be a secret.");
        }
    }

    private Optional<Variable> named(String name) {
        String value = environment.apply(name);
        return value == null || value.isBlank()
                ? Optional.empty()
                : Optional.of(new Variable(name, value.strip()));
    }

    private Optional<Variable> option(String option) {
        return named(PROFILES + option).or(() -> named(ALL + option));
    }

    /** Returns the whole address of the receiver, also if no variable is set. */
    URI endpoint() {
        requireProtocol();
        Optional<Variable> own = named(PROFILES + "ENDPOINT");
        if (own.isPresent()) {
            URI address = address(own.get());
            return address.getRawPath().isEmpty() ? address.resolve("/") : address;
        }
        String base =
                named(ALL + "ENDPOINT")
                        .map(all -> address(all).toString())
                        .orElse("http://localhost:4318");
        return URI.create(
                (base.endsWith("/") ? base.substring(0, base.length() - 1) : base)
                        + OtlpReceiver.PATH);
    }

    private void requireProtocol() {
        option("PROTOCOL")
                .filter(protocol -> !protocol.value().equalsIgnoreCase(PROTOCOL))
                .ifPresent(
                        protocol -> {
                            throw protocol.refused(
                                    ("%s, the only protocol that HeapSampler supports. If other"
                                         + " signals need another one, set %sPROTOCOL and"
                                         + " %sENDPOINT")
                                            .formatted(PROTOCOL, PROFILES, PROFILES));
                        });
    }

    private static URI address(Variable variable) {
        try {
            URI address = new URI(variable.value());
            if (address.getRawUserInfo() != null) {
                throw variable.refusedUnseen(
                        "has a user name in it, where it would be logged. Set it in %sHEADERS"
                                .formatted(ALL));
            }
            if (isReceiver(address)) {
                return address;
            }
        } catch (URISyntaxException e) {
            // Refused below; the exception has the value in its message.
        }
        String allowed =
                "a URL with the scheme http or https, a host, and no query or fragment, such as"
                        + " http://collector:4318";
        // A query may also have a secret in it, such as an API key.
        throw variable.value().indexOf('@') < 0 && variable.value().indexOf('?') < 0
                ? variable.refused(allowed)
                : variable.refusedUnseen("must be " + allowed);
    }

    private static boolean isReceiver(URI address) {
        String scheme = address.getScheme();
        return ("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme))
                && address.getHost() != null
                && address.getRawQuery() == null
                && address.getRawFragment() == null;
    }

    /** Returns the additional headers, in their order. */
    Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        option("HEADERS").ifPresent(variable -> addHeaders(variable, headers));
        return headers;
    }

    /** Values are secrets, so messages contain only the names and positions. */
    private static void addHeaders(Variable variable, Map<String, String> headers) {
        int position = 0;
        for (String entry : variable.value().split(",", -1)) {
            position++;
            if (entry.isBlank()) {
                continue;
            }
            int equals = entry.indexOf('=');
            String name = entry.substring(0, Math.max(0, equals)).strip();
            // A name of other characters may be a secret: that of "Authorization: Bearer c2Vj=".
            if (!Checks.isHeaderName(name)) {
                throw variable.refusedUnseen(
                        "must be a list such as name1=value1,name2=value2, but entry %s is not"
                                .formatted(position));
            }
            try {
                String value = decoded(entry.substring(equals + 1).strip());
                Checks.header(name, value);
                headers.keySet().removeIf(name::equalsIgnoreCase);
                headers.put(name, value);
            } catch (IllegalArgumentException e) {
                throw variable.refusedUnseen(
                        "has an invalid entry " + position + ": " + e.getMessage());
            }
        }
    }

    Optional<Duration> timeout() {
        return option("TIMEOUT").map(OtelVariables::duration);
    }

    private static Duration duration(Variable variable) {
        long millis = -1;
        try {
            millis = Long.parseLong(variable.value());
        } catch (NumberFormatException e) {
            // Refused below.
        }
        if (millis != 0 && (millis < MIN_TIMEOUT || millis > MAX_TIMEOUT)) {
            throw variable.refused(
                    "a whole number of milliseconds from %s to %s, or 0 for %s minutes"
                            .formatted(MIN_TIMEOUT, MAX_TIMEOUT, LONG_TIMEOUT.toMinutes()));
        }
        return millis == 0 ? LONG_TIMEOUT : Duration.ofMillis(millis);
    }

    Optional<OtlpPushBuilder.Compression> compression() {
        return option("COMPRESSION")
                .map(
                        variable ->
                                switch (variable.value().toLowerCase(Locale.ROOT)) {
                                    case "gzip" -> OtlpPushBuilder.Compression.GZIP;
                                    case "none" -> OtlpPushBuilder.Compression.NONE;
                                    default -> throw variable.refused("gzip or none");
                                });
    }

    /** Returns a context with the certificates and the key in the files that variables name. */
    Optional<SSLContext> sslContext() {
        Optional<Variable> trusted = option("CERTIFICATE");
        Optional<Variable> certificate = option("CLIENT_CERTIFICATE");
        Optional<Variable> key = option("CLIENT_KEY");
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException(
                    certificate.or(() -> key).orElseThrow().name()
                            + " is set, but the other one of "
                            + ALL
                            + "CLIENT_CERTIFICATE and "
                            + ALL
                            + "CLIENT_KEY is not. Set both, or neither.");
        }
        if (trusted.isEmpty() && key.isEmpty()) {
            return Optional.empty();
        }
        PemFiles.ClientKey client =
                key.isEmpty()
                        ? null
                        : new PemFiles.ClientKey(certificate.orElseThrow(), key.orElseThrow());
        return Optional.of(PemFiles.context(trusted.orElse(null), client));
    }

    /**
     * Returns whether no signal is to be sent. By the specification, a value other than true means
     * false, and one other than these deserves a warning.
     */
    boolean isDisabled() {
        Optional<String> value = named(DISABLED).map(Variable::value);
        boolean isTrue = value.filter("true"::equalsIgnoreCase).isPresent();
        if (!isTrue && value.filter(text -> !text.equalsIgnoreCase("false")).isPresent()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    DISABLED
                            + " is \""
                            + value.orElseThrow()
                            + "\", which counts as false, so profiles are pushed.");
        }
        return isTrue;
    }

    /** Returns the name of the service, also if no variable is set. An empty name is unset. */
    String serviceName() {
        Optional<Variable> own = named(SERVICE_NAME);
        String name =
                own.map(Variable::value)
                        .or(() -> Optional.ofNullable(resource().get(SERVICE_KEY)))
                        .filter(value -> !value.isBlank())
                        .orElse("unknown_service:java");
        try {
            return Checks.serviceName(name);
        } catch (IllegalArgumentException e) {
            Variable from = own.orElseGet(() -> new Variable(RESOURCE, SERVICE_KEY + "=" + name));
            throw from.refused("a name of 1 to 256 characters");
        }
    }

    /** Returns the attributes of the resource, in their order. */
    Map<String, String> resource() {
        Map<String, String> attributes = new LinkedHashMap<>();
        named(RESOURCE)
                .ifPresent(
                        variable -> {
                            for (String entry : variable.value().split(",", -1)) {
                                if (!entry.isBlank()) {
                                    addAttribute(variable, entry, attributes);
                                }
                            }
                        });
        return attributes;
    }

    private static void addAttribute(
            Variable variable, String entry, Map<String, String> attributes) {
        int equals = entry.indexOf('=');
        try {
            String key = decoded(entry.substring(0, Math.max(0, equals)).strip());
            if (key.isEmpty()) {
                throw new IllegalArgumentException("an entry has no key");
            }
            attributes.put(key, decoded(entry.substring(equals + 1).strip()));
        } catch (IllegalArgumentException e) {
            throw variable.refused(
                    "a list such as key1=value1,key2=value2, percent-encoded in UTF-8 (%s)"
                            .formatted(e.getMessage()));
        }
    }

    /**
     * Decodes percent-encoding as RFC 3986 describes it, in UTF-8. A plus sign is a plus sign.
     *
     * @throws IllegalArgumentException if the text is invalid; the message does not contain it
     */
    private static String decoded(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < encoded.length; i++) {
            if (encoded[i] == '%') {
                bytes.write((digit(encoded, i + 1) << 4) | digit(encoded, i + 2));
                i += 2;
            } else {
                bytes.write(encoded[i]);
            }
        }
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes.toByteArray());
            return StandardCharsets.UTF_8.newDecoder().decode(buffer).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the decoded bytes are not UTF-8");
        }
    }

    private static int digit(byte[] text, int at) {
        int digit = at < text.length ? Character.digit((char) text[at], 16) : -1;
        if (digit < 0) {
            throw new IllegalArgumentException("a % is not followed by two hexadecimal digits");
        }
        return digit;
    }
}

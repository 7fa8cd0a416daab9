// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.heapsampler.support.OwnCertificate;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the variables of OpenTelemetry say, by its specification, and which values are refused. */
class OtelVariablesTest {

    private static final String ALL = "OTEL_EXPORTER_OTLP_";
    private static final String PROFILES = "OTEL_EXPORTER_OTLP_PROFILES_";
    private static final String UNSEEN = " Its value is not shown, because it may be a secret.";

    private static OtelVariables of(String... namesAndValues) {
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            variables.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return new OtelVariables(variables::get);
    }

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void nothingIsSet() {
        for (OtelVariables variables :
                new OtelVariables[] {
                    of(), of(ALL + "ENDPOINT", "", ALL + "TIMEOUT", " ", ALL + "HEADERS", "")
                }) {
            assertThat(variables.endpoint())
                    .hasToString("http://localhost:4318/v1development/profiles");
            assertThat(variables.headers()).isEmpty();
            assertThat(variables.timeout()).isEmpty();
            assertThat(variables.compression()).isEmpty();
            assertThat(variables.sslContext()).isEmpty();
            assertThat(variables.serviceName()).isEqualTo("unknown_service:java");
            assertThat(variables.resource()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://a:4318, http://a:4318/v1development/profiles",
        "https://a/, https://a/v1development/profiles",
        "http://a/base, http://a/base/v1development/profiles",
        "' HTTP://a/base/ ', HTTP://a/base/v1development/profiles",
    })
    void thePathIsAppendedToTheEndpointOfAllSignals(String value, String address) {
        assertThat(of(ALL + "ENDPOINT", value).endpoint()).hasToString(address);
    }

    @ParameterizedTest
    @CsvSource({
        "http://b:1, http://b:1/",
        "http://b:1/x/, http://b:1/x/",
        "http://b/p, http://b/p"
    })
    void theEndpointOfProfilesIsUsedAsItIs(String value, String address) {
        OtelVariables variables = of(ALL + "ENDPOINT", "http://a", PROFILES + "ENDPOINT", value);

        assertThat(variables.endpoint()).hasToString(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"collector:4318", "ftp://a", "http://", "http://a#x", "http://a b"})
    void refusesEndpoints(String value) {
        for (String name : new String[] {ALL + "ENDPOINT", PROFILES + "ENDPOINT"}) {
            assertRefused(
                    () -> of(name, value).endpoint(),
                    name
                            + " is \""
                            + value
                            + "\", but must be a URL with the scheme http or https, a host, and no"
                            + " query or fragment, such as http://collector:4318.");
        }
    }

    @Test
    void doesNotShowPasswordsInEndpoints() {
        assertRefused(
                () -> of(ALL + "ENDPOINT", "http://u:secret@a").endpoint(),
                "OTEL_EXPORTER_OTLP_ENDPOINT has a user name in it, where it would be logged. Set"
                        + " it in OTEL_EXPORTER_OTLP_HEADERS."
                        + UNSEEN);
        assertRefused(
                () -> of(ALL + "ENDPOINT", "http://u:secret@a_b").endpoint(),
                "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL with the scheme http or https, a host,"
                        + " and no query or fragment, such as http://collector:4318."
                        + UNSEEN);
        assertRefused(
                () -> of(PROFILES + "ENDPOINT", "https://a/?key=secret").endpoint(),
                "OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT must be a URL with the scheme http or https,"
                        + " a host, and no query or fragment, such as http://collector:4318."
                        + UNSEEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc", "http/json", "protobuf"})
    void refusesProtocols(String value) {
        assertRefused(
                () -> of(ALL + "PROTOCOL", value).endpoint(),
                "OTEL_EXPORTER_OTLP_PROTOCOL is \""
                        + value
                        + "\", but must be http/protobuf, the only protocol that HeapSampler"
                        + " supports. If other signals need another one, set"
                        + " OTEL_EXPORTER_OTLP_PROFILES_PROTOCOL and"
                        + " OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT.");
        assertThat(of(ALL + "PROTOCOL", value, PROFILES + "PROTOCOL", "HTTP/Protobuf").endpoint())
                .hasHost("localhost");
    }

    @Test
    void readsHeaders() {
        assertThat(of(ALL + "HEADERS", "a=1, b-c = x=y ,,d=%41%2c+%25,A=2,").headers())
                .containsExactly(entry("b-c", "x=y"), entry("d", "A,+%"), entry("A", "2"));
        assertThat(of(ALL + "HEADERS", "a=1,b=2", PROFILES + "HEADERS", "c=3").headers())
                .containsExactly(entry("c", "3"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secret|must be a list such as name1=value1,name2=value2, but entry 1 is not.",
                "a=1,=secret|must be a list such as name1=value1,name2=value2, but entry 2 is not.",
                "a=1,Authorization: Bearer secret==|must be a list such as"
                        + " name1=value1,name2=value2, but entry 2 is not.",
                "a=secret%4|has an invalid entry 1: a % is not followed by two hexadecimal digits.",
                "a=%zzsecret|has an invalid entry 1: a % is not followed by two hexadecimal"
                        + " digits.",
                "a=secret%ff|has an invalid entry 1: the decoded bytes are not UTF-8.",
                "a=secret%0a|has an invalid entry 1: header \"a\" or its value has characters that"
                        + " a header cannot have.",
                "a=1,Host=secret|has an invalid entry 2: header \"Host\" is set for each request"
                        + " and cannot be given.",
            })
    void refusesHeadersWithoutShowingThem(String value, String reason) {
        assertRefused(
                () -> of(ALL + "HEADERS", value).headers(),
                "OTEL_EXPORTER_OTLP_HEADERS " + reason + UNSEEN);
    }

    @Test
    void readsTimeouts() {
        assertThat(of(ALL + "TIMEOUT", "100").timeout()).contains(Duration.ofMillis(100));
        assertThat(of(ALL + "TIMEOUT", "0").timeout()).contains(Duration.ofMinutes(10));
        assertThat(of(ALL + "TIMEOUT", "x", PROFILES + "TIMEOUT", "5000").timeout())
                .contains(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"99", "-1", "86400001", "10s", "1.5"})
    void refusesTimeouts(String value) {
        assertRefused(
                () -> of(PROFILES + "TIMEOUT", value).timeout(),
                "OTEL_EXPORTER_OTLP_PROFILES_TIMEOUT is \""
                        + value
                        + "\", but must be a whole number of milliseconds from 100 to 86400000, or"
                        + " 0 for 10 minutes.");
    }

    @Test
    void readsCompressions() {
        assertThat(of(ALL + "COMPRESSION", "gzip").compression())
                .contains(OtlpPushBuilder.Compression.GZIP);
        assertThat(of(ALL + "COMPRESSION", "gzip", PROFILES + "COMPRESSION", "none").compression())
                .contains(OtlpPushBuilder.Compression.NONE);
        assertRefused(
                () -> of(ALL + "COMPRESSION", "zstd").compression(),
                "OTEL_EXPORTER_OTLP_COMPRESSION is \"zstd\", but must be gzip or none.");
    }

    @Test
    void refusesCertificates(@TempDir Path folder) throws Exception {
        Path none = folder.resolve("none.pem");
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        Path wrong = Files.writeString(folder.resolve("wrong.pem"), "no certificate at all\n");

        assertRefusedCertificate(none, "there is no such file");
        assertRefusedCertificate(empty, "the file has no certificate");
        assertRefusedCertificate(wrong, "the file has no valid certificate");
    }

    @Test
    void refusesKeys(@TempDir Path folder) throws Exception {
        OwnCertificate.make(folder);
        Path pem = Files.writeString(folder.resolve("pem"), OwnCertificate.pem(folder));
        Path rsa = Files.writeString(folder.resolve("rsa"), "-----BEGIN RSA PRIVATE KEY-----");
        Path wrong = Files.writeString(folder.resolve("wrong"), privateKey("AAAA"));

        assertRefusedKey(pem, pem.resolve("none"), "the file cannot be read: .*");
        assertRefusedKey(pem, folder.resolve("none"), "there is no such file");
        assertRefusedKey(pem, pem, "the file has no private key");
        assertRefusedKey(
                pem,
                rsa,
                "the key has another format; \"openssl pkcs8 -topk8 -nocrypt\" converts it");
        assertRefusedKey(pem, wrong, "the file has no valid private key");
        for (String name : new String[] {"CLIENT_CERTIFICATE", "CLIENT_KEY"}) {
            assertRefused(
                    () -> of(ALL + name, pem.toString()).sslContext(),
                    ALL
                            + name
                            + " is set, but the other one of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"
                            + " and OTEL_EXPORTER_OTLP_CLIENT_KEY is not. Set both, or neither.");
        }
    }

    private static String privateKey(String base64) {
        return "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n";
    }

    private static void assertRefusedKey(Path certificate, Path key, String reason) {
        OtelVariables variables =
                of(
                        ALL + "CLIENT_CERTIFICATE",
                        certificate.toString(),
                        ALL + "CLIENT_KEY",
                        key.toString());
        assertThatThrownBy(variables::sslContext)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("OTEL_EXPORTER_OTLP_CLIENT_KEY is \"" + key + "\", but")
                .hasMessageContaining("(PKCS#8, \"BEGIN PRIVATE KEY\") (")
                .hasMessageMatching("(?s).*\\(" + reason + "\\)\\.");
    }

    @ParameterizedTest
    @CsvSource({"true, true", "TRUE, true", "false, false", "1, false", "yes, false", "'', false"})
    void theSdkIsDisabledByTrueAlone(String value, boolean isDisabled) {
        assertThat(of("OTEL_SDK_DISABLED", value).isDisabled()).isEqualTo(isDisabled);
    }

    private static void assertRefusedCertificate(Path file, String reason) {
        assertRefused(
                () -> of(ALL + "CERTIFICATE", file.toString()).sslContext(),
                "OTEL_EXPORTER_OTLP_CERTIFICATE is \""
                        + file
                        + "\", but must be a readable file of certificates in PEM format ("
                        + reason
                        + ").");
    }

    /** A certificate of plain HTTP, or beside a context of the application, is of no use. */
    @Test
    void certificatesAreNotReadWhereTheyHaveNoUse() {
        Map<String, String> variables = Map.of(ALL + "CERTIFICATE", "none.pem");
        OtlpPushBuilder builder =
                ProfilePush.otlp()
                        .endpoint(URI.create("http://localhost:1"))
                        .closeTimeout(Duration.ZERO)
                        .environment(variables::get);

        builder.start().close();
        builder.endpoint(URI.create("https://localhost:1"));
        assertThatThrownBy(builder::start).isInstanceOf(IllegalArgumentException.class);
        builder.httpClient(HttpClient.newHttpClient()).start().close();
    }

    @Test
    void readsTheService() {
        String resource = "OTEL_RESOURCE_ATTRIBUTES";

        assertThat(of("OTEL_SERVICE_NAME", "cart", resource, "service.name=x").serviceName())
                .isEqualTo("cart");
        assertThat(of(resource, "service.name=my%20shop").serviceName()).isEqualTo("my shop");
        assertThat(of(resource, "a=1, b%3D = x%2Cy=z ,c=").resource())
                .containsExactly(entry("a", "1"), entry("b=", "x,y=z"), entry("c", ""));
    }

    /** By the specification, an empty name counts as unset. */
    @ParameterizedTest
    @ValueSource(strings = {"service.name=", "service.name=%20", "a=1,service.name= ,b=2"})
    void anEmptyNameOfTheServiceIsUnset(String resource) {
        assertThat(of("OTEL_RESOURCE_ATTRIBUTES", resource).serviceName())
                .isEqualTo("unknown_service:java");
        assertThat(of("OTEL_SERVICE_NAME", " ", "OTEL_RESOURCE_ATTRIBUTES", "service.name=x"))
                .extracting(OtelVariables::serviceName)
                .isEqualTo("x");
    }

    @Test
    void refusesServices() {
        String longName = "x".repeat(257);

        assertRefused(
                () -> of("OTEL_SERVICE_NAME", longName).serviceName(),
                "OTEL_SERVICE_NAME is \""
                        + longName
                        + "\", but must be a name of 1 to 256 characters.");
        assertRefused(
                () -> of("OTEL_RESOURCE_ATTRIBUTES", "service.name=" + longName).serviceName(),
                "OTEL_RESOURCE_ATTRIBUTES is \"service.name="
                        + longName
                        + "\", but must be a name of 1 to 256 characters.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a|an entry has no key",
                "a=1,=2|an entry has no key",
                "a=%4|a % is not followed by two hexadecimal digits",
                "a=%ff|the decoded bytes are not UTF-8",
            })
    void refusesAttributes(String value, String reason) {
        assertRefused(
                () -> of("OTEL_RESOURCE_ATTRIBUTES", value).resource(),
                "OTEL_RESOURCE_ATTRIBUTES is \""
                        + value
                        + "\", but must be a list such as key1=value1,key2=value2, percent-encoded"
                        + " in UTF-8 ("
                        + reason
                        + ").");
    }
}

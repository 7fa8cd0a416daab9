// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PushBuilderTest {

    private static final URI ADDRESS = URI.create("http://localhost:1");

    private static PyroscopePushBuilder builder() {
        return ProfilePush.pyroscope(ADDRESS).serviceName("shop").environment(name -> null);
    }

    private static PushOptions options(PyroscopePushBuilder builder) {
        return builder.options("shop", builder.headers(), Duration.ofSeconds(1), null);
    }

    @Test
    void hasDefaults() {
        PushOptions options = options(builder());

        assertThat(PushBuilder.DEFAULT_TIMEOUT).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.interval()).isEqualTo(Duration.ofSeconds(15));
        assertThat(options.maxBackoff()).isEqualTo(Duration.ofMinutes(1));
        assertThat(options.closeTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.maxQueueBytes()).isEqualTo(8 << 20);
        assertThat(options.maxSites()).isEqualTo(10_000);
        assertThat(options.labels()).isEmpty();
        assertThat(options.pod()).isNull();
    }

    @Test
    void pyroscopeNeedsTheNameOfTheService() {
        PyroscopePushBuilder unnamed = ProfilePush.pyroscope(ADDRESS);

        assertThatThrownBy(unnamed::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the service has no name. Call serviceName(\"shop\"), say.");
    }

    @Test
    void aHeaderReplacesOneOfTheSameName() {
        PyroscopePushBuilder builder = builder().header("X-Team", "a").header("x-team", "b");

        assertThat(options(builder).headers()).containsExactly(Map.entry("x-team", "b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1a", "a-b", "__delta__", "a b", "é", ".a"})
    void refusesNamesOfLabels(String name) {
        assertThatThrownBy(() -> builder().label(name, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a label is named with letters, digits, '_' and '.', such as \"region\","
                                + " and not with two '_' first, but this is \""
                                + name
                                + "\"");
    }

    @Test
    void refusesTheServiceAsALabelAndEmptyValues() {
        assertThatThrownBy(() -> builder().label("service_name", "x"))
                .hasMessage(
                        "the name of the service is no label. Call serviceName() instead of label()"
                                + " with service_name");
        assertThatThrownBy(() -> builder().label("region", " "))
                .hasMessage("the value of label \"region\" must have from 1 to 2048 characters");
        assertThatThrownBy(() -> builder().serviceName(" "))
                .hasMessage("a service name has from 1 to 256 characters, but this is \" \"");
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertThatThrownBy(() -> builder().interval(Duration.ofMillis(999)))
                .hasMessage("interval must be 1000 ms or more: PT0.999S");
        assertThatThrownBy(() -> builder().timeout(Duration.ofMillis(99)))
                .hasMessage("timeout must be 100 ms or more: PT0.099S");
        assertThatThrownBy(() -> builder().maxBackoff(Duration.ZERO))
                .hasMessage("maxBackoff must be 1000 ms or more: PT0S");
        assertThatThrownBy(() -> builder().closeTimeout(Duration.ofSeconds(-1)))
                .hasMessage("closeTimeout must be 0 ms or more: PT-1S");
        assertThatThrownBy(() -> builder().maxQueueBytes(65_535))
                .hasMessage("maxQueueBytes must be 65536 or more: 65535");
        assertThatThrownBy(() -> builder().maxSites(0)).hasMessage("maxSites must be 1 or more: 0");
    }

    @ParameterizedTest
    @CsvSource({"'a b',x", "'',x", "X-A,'a\nb'", "X-A,é"})
    void refusesHeadersThatAreNone(String name, String value) {
        assertThatThrownBy(() -> builder().header(name, value))
                .hasMessage(
                        "header \""
                                + name
                                + "\" or its value has characters that a header cannot have");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host", "content-type", "Content-Length", "connection"})
    void refusesHeadersOfTheRequest(String name) {
        assertThatThrownBy(() -> builder().header(name, "x"))
                .hasMessage("header \"" + name + "\" is set for each request and cannot be given");
    }

    @Test
    void hidesSecrets() {
        PyroscopePushBuilder builder =
                builder().bearerToken("0123456789").header("X-Key", "abcdef");

        assertThat(builder.toString()).contains("shop").doesNotContain("0123456789", "abcdef");
        assertThat(options(builder).toString())
                .contains("shop")
                .doesNotContain("0123456789", "abcdef");
        assertThatThrownBy(() -> builder().bearerToken(" ")).hasMessage("the token is empty");
        assertThatThrownBy(() -> builder().basicAuth("a:b", "c"))
                .hasMessage("a user name cannot have a colon");
    }

    @Test
    void thePodComesFromTheEnvironment() {
        Map<String, String> all =
                Map.of("POD_NAME", "shop-1", "HOSTNAME", "other", "POD_NAMESPACE", "prod");

        PyroscopePushBuilder builder = builder().podLabels();

        assertThat(options(builder.environment(all::get)).pod())
                .isEqualTo(new PushOptions.Pod("shop-1", "prod"));
        assertThat(options(builder.environment(Map.of("HOSTNAME", "shop-2")::get)).pod())
                .isEqualTo(new PushOptions.Pod("shop-2", null));
        builder.environment(name -> null);
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "podLabels() finds no name of a pod: neither POD_NAME nor HOSTNAME is set."
                                + " Set POD_NAME and POD_NAMESPACE from metadata.name and"
                                + " metadata.namespace (fieldRef) in the manifest of the pod, or"
                                + " leave podLabels() out.");
    }

    @Test
    void completesAddresses() {
        assertThat(Checks.address(URI.create("http://a:1"), "/ingest"))
                .hasToString("http://a:1/ingest");
        assertThat(Checks.address(URI.create("https://a/base/"), "/ingest"))
                .hasToString("https://a/base/ingest");
        assertThat(Checks.address(URI.create("http://a:1/ingest"), "/ingest"))
                .hasToString("http://a:1/ingest");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ftp://a|the address of a receiver is such as http://collector:4318, but this is"
                        + " ftp://a",
                "collector:4318|the address of a receiver is such as http://collector:4318, but"
                        + " this is collector:4318",
                "http://u:p@a_b|the address of a receiver is such as http://collector:4318, but"
                        + " this is another",
                "collector:4318?key=secret|the address of a receiver is such as"
                        + " http://collector:4318, but this is another",
                "http://u:p@a|the address has a user name in it, where it would be logged. Take it"
                        + " out and call PushBuilder.basicAuth().",
                "http://a?x=1|the address of a receiver has neither query nor fragment, but this"
                        + " has one. It is not shown, because it may be a secret.",
            })
    void refusesAddresses(URI address, String message) {
        assertThatThrownBy(() -> ProfilePush.otlp().endpoint(address).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void refusesWhatAnApiOfPyroscopeCannotHave() {
        PyroscopePushBuilder dotted = builder().label("k8s.pod", "x");
        PyroscopePushBuilder comma = builder().label("region", "a,b");
        PyroscopePushBuilder spaced = builder().serviceName("my shop");

        assertThatThrownBy(dotted::start)
                .hasMessage(
                        "a label of Pyroscope has no dots, but this is \"k8s.pod\". Name it"
                                + " k8s_pod.");
        assertThatThrownBy(comma.api(PyroscopePushBuilder.Api.INGEST)::start)
                .hasMessage(
                        "with /ingest the value of a label cannot have commas, closing braces, or"
                                + " spaces at its ends, but region is \"a,b\". Change it, or use"
                                + " Api.PUSH_V1.");
        assertThatThrownBy(spaced.api(PyroscopePushBuilder.Api.INGEST)::start)
                .hasMessage(
                        "with /ingest a service name has letters, digits and any of _ . / - only,"
                                + " but this is \"my shop\". Rename it, or use Api.PUSH_V1.");
    }
}

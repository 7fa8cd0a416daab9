// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.LabelledLeak;
import io.heapsampler.http.Asking.Answer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels of samples in responses: which, and with which values. */
class LabelRoutesTest {

    private static final String PPROF = "/debug/pprof/";
    private static final String PAGE = "/debug/heapsampler/";

    /** Not from the API, but a file or another version may have them. */
    private static final String HOSTILE = "<script>\"\\\n\r\u001b[31m{}\u2028";

    private static EndpointOptions.Builder options() {
        return EndpointOptions.builder().allowUnauthenticated();
    }

    private static HeapSamplerEndpoint endpoint(EndpointOptions.Builder options) {
        return new HeapSamplerEndpoint(
                options.build(), Labelled.byTenant(Map.of("acme", 2000, "initech", 300)));
    }

    private final HeapSamplerEndpoint shop = endpoint(options());

    private static String get(HeapSamplerEndpoint endpoint, String target) {
        Answer answer = Asking.ask(endpoint, "GET", target);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.text();
    }

    private static String profile(HeapSamplerEndpoint endpoint, String target) throws IOException {
        Answer answer = Asking.ask(endpoint, "GET", PPROF + target);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return new String(Gzip.read(answer.body()), StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"heap", "allocs", "delta_heap"})
    void profilesHaveAllLabelsOneOrNone(String name) throws IOException {
        assertThat(profile(shop, name)).contains("GET /orders", "acme", "initech", "(other)");
        assertThat(profile(shop, name + "?label=endpoint"))
                .contains("GET /orders", "(other)")
                .doesNotContain("acme", "initech");
        assertThat(profile(shop, name + "?labels=0"))
                .contains("byte[]")
                .doesNotContain("GET /orders", "acme", "(other)");
        assertThat(profile(shop, name + "?labels=0&label=endpoint")).doesNotContain("GET /orders");
    }

    @Test
    void snapshotsHaveAllLabelsOneOrNone() {
        assertThat(get(shop, PAGE + "snapshot.json")).contains("\"tenant\":\"acme\"");
        assertThat(get(shop, PAGE + "snapshot.json?label=endpoint"))
                .contains("\"endpoint\":\"GET /orders\"")
                .doesNotContain("acme");
        assertThat(get(shop, PAGE + "snapshot.json?labels=0")).doesNotContain("GET /", "acme");
        assertThat(get(shop, PAGE + "snapshot.csv?label=tenant"))
                .contains(",stack,\"label:tenant\"\r\n", ",\"acme\"\r\n")
                .doesNotContain("endpoint");
    }

    @Test
    void theSnapshotFileHasAllLabelsOrIsRefused() {
        assertThat(get(shop, PAGE + "snapshot.hsnap")).contains("acme");
        for (String query : List.of("?labels=0", "?label=endpoint")) {
            Answer answer = Asking.ask(shop, "GET", PAGE + "snapshot.hsnap" + query);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("always has all labels and traces");
        }
        HeapSamplerEndpoint redacted = endpoint(options().labels((key, value) -> null));
        Answer answer = Asking.ask(redacted, "GET", PAGE + "snapshot.hsnap");
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.text()).contains("has the labels of samples");
    }

    @ParameterizedTest
    @ValueSource(strings = {"snapshot.json", "flame.html"})
    void idsOfTracesAreLeftOutOnRequestOrForAll(String name) throws IOException {
        String id = "abababab";
        HeapSamplerEndpoint without = endpoint(options().traces(false));

        assertThat(report(shop, name)).contains(id, "acme");
        assertThat(report(shop, name + "?traces=0")).contains("acme").doesNotContain(id);
        assertThat(report(shop, name + "?labels=0")).doesNotContain(id, "acme");
        assertThat(report(without, name)).contains("acme").doesNotContain(id);
        assertThat(report(without, name + "?traces=1")).doesNotContain(id);
        Answer file = Asking.ask(without, "GET", PAGE + "snapshot.hsnap");
        assertThat(file.status()).isEqualTo(403);
        assertThat(file.text()).contains("has ids of traces");
        assertThat(Asking.ask(shop, "GET", PAGE + "snapshot.hsnap?traces=0").status())
                .isEqualTo(400);
    }

    /** Returns a response, with the JSON that a report has packed. */
    private static String report(HeapSamplerEndpoint endpoint, String target) throws IOException {
        return PackedReport.text(get(endpoint, PAGE + target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%00b", "a%0Ab"})
    void aKeyThatNoLabelCanHaveIsRefused(String key) {
        for (String target : List.of(PPROF + "heap", PAGE + "snapshot.json", PAGE + "flame.html")) {
            Answer answer = Asking.ask(shop, "GET", target + "?label=" + key);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text())
                    .isEqualTo(
                            "invalid value for \"label\" - must be the key of a label: at most 64"
                                    + " characters, without control characters\n");
        }
        Answer tooLong = Asking.ask(shop, "GET", PPROF + "heap?label=" + "x".repeat(65));
        assertThat(tooLong.status()).isEqualTo(400);
        assertThatIllegalArgumentException().isThrownBy(() -> options().metricsLabel("a\nb"));
    }

    @Test
    void valuesAreReplacedOrLeftOutEverywhere() throws Exception {
        HeapSamplerEndpoint redacted =
                endpoint(
                        options()
                                .metricsLabel("tenant")
                                .labels((key, value) -> key.equals("tenant") ? "T" : null));

        for (String target :
                List.of("top.txt", "top.json", "snapshot.json", "snapshot.csv", "metrics")) {
            assertThat(get(redacted, PAGE + target))
                    .as(target)
                    .contains("T")
                    .doesNotContain("acme", "initech", "GET /orders");
        }
        assertThat(profile(redacted, "heap")).doesNotContain("acme", "initech", "GET /orders");
        assertThat(get(redacted, PAGE + "metrics")).contains("{key=\"tenant\",value=\"T\"} 2300\n");
        FakeSource.startDoctor();
        try (LabelledLeak leak = new LabelledLeak("tenant=acme")) {
            for (String target :
                    List.of("doctor", "doctor?format=json", "doctor?format=html", "flame.html")) {
                assertThat(report(shop, target)).as(target).contains(leak.text);
                assertThat(report(redacted, target))
                        .as(target)
                        .contains("leak.growth")
                        .doesNotContain("acme", "initech", "GET /orders", "label.explained");
            }
            for (String query : List.of("?labels=0", "?label=endpoint", "?only=tenant=initech")) {
                assertThat(report(shop, "flame.html" + query))
                        .contains("leak.growth")
                        .doesNotContain("acme");
            }
        }
    }

    @Test
    void theSamplesOfOneLabelAreShownAlone() throws IOException {
        assertThat(get(shop, PAGE + "top.json?only=tenant=acme"))
                .contains("\"totals\":{\"live\":{\"bytes\":{\"value\":2000,")
                .contains( // still to be chosen, with its own figures
                        "{\"set\":{\"tenant\":\"initech\"},\"other\":false,"
                                + "\"live\":{\"bytes\":{\"value\":300,")
                .contains("{\"set\":{\"endpoint\":\"GET /orders\",\"tenant\":\"acme\"}")
                .doesNotContain("{\"set\":{\"endpoint\":\"GET /orders\",\"tenant\":\"initech\"}");
        assertThat(get(shop, PAGE + "top.txt?only=tenant=acme"))
                .contains("acme")
                .doesNotContain("initech", "(none)");
        assertThat(get(shop, PAGE + "top.json?only=tenant="))
                .contains("\"totals\":{\"live\":{\"bytes\":{\"value\":7,");
        assertThat(get(shop, PAGE + "snapshot.json?only=tenant%3Dacme&label=endpoint"))
                .contains("\"endpoint\":\"GET /orders\"")
                .doesNotContain("(other)", "acme", "\"value\":300");
        for (String name : List.of("heap", "allocs", "delta_heap")) {
            assertThat(profile(shop, name + "?only=tenant=initech"))
                    .contains("initech")
                    .doesNotContain("acme");
        }
        assertThat(get(shop, PPROF + "heap?debug=1&only=tenant=acme"))
                .startsWith("heap profile: 1: 2000 ");
        assertThat(get(shop, PAGE + "top.json?only=tenant=absent"))
                .contains("\"totals\":{\"live\":{\"bytes\":{\"value\":0,");
    }

    @Test
    void theReportHasTheSamplesOfOneLabel() throws IOException {
        assertThat(report(shop, "flame.html")).contains("\"acme\"", "\"initech\"");
        assertThat(report(shop, "flame.html?only=tenant=initech"))
                .contains("\"initech\"")
                .doesNotContain("acme");
    }

    @Test
    void theFileOfOneLabelHasItsSamplesAlone() throws IOException {
        Answer file = Asking.ask(shop, "GET", PAGE + "snapshot.hsnap?only=tenant=acme");

        HeapSnapshot read = HeapSnapshot.read(new ByteArrayInputStream(file.body()));
        assertThat(read.totals().live().bytes().value()).isEqualTo(2000);
        assertThat(file.text()).contains("acme").doesNotContain("initech");
    }

    /** A value that is not shown can be neither chosen nor guessed. */
    @Test
    void labelsAreChosenAsTheyAreShown() {
        BiFunction<String, String, String> shown =
                (key, value) -> value.equals("acme") || value.equals("initech") ? "T" : null;
        HeapSamplerEndpoint redacted = endpoint(options().labels(shown));

        assertThat(get(redacted, PAGE + "top.json?only=tenant=T"))
                .contains("\"totals\":{\"live\":{\"bytes\":{\"value\":2300,");
        assertThat(get(redacted, PAGE + "top.json?only=tenant=acme"))
                .isEqualTo(
                        get(redacted, PAGE + "top.json?only=tenant=absent")
                                .replace("absent", "acme"))
                .contains("\"totals\":{\"live\":{\"bytes\":{\"value\":0,");
        // The endpoint is hidden, so all samples read as without it, except for "(other)".
        assertThat(get(redacted, PAGE + "top.json?only=endpoint="))
                .contains("\"totals\":{\"live\":{\"bytes\":{\"value\":2307,");
        Answer search = Asking.post(redacted, PAGE + "heldby", "only=tenant=acme");
        assertThat(search.status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tenant", "%3Dacme", "a%0Ab=c"})
    void aLabelThatCannotBeIsRefused(String only) {
        for (String target : List.of(PPROF + "heap", PAGE + "top.json", PAGE + "flame.html")) {
            Answer answer = Asking.ask(shop, "GET", target + "?only=" + only);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text())
                    .isEqualTo(
                            "invalid value for \"only\" - must be a label, such as tenant=acme, or"
                                    + " tenant= for the samples without this key\n");
        }
        for (String both : List.of("&top=3", "&class=byte[]")) {
            Answer answer = Asking.post(shop, PAGE + "heldby", "only=tenant=acme" + both);
            assertThat(answer.status()).isEqualTo(400);
        }
    }

    @Test
    void textsForPeopleListTheLargestValues() {
        assertThat(get(shop, PAGE + "top.txt"))
                .containsPattern("   label     endpoint=GET /orders, tenant=acme: live 2000\\b")
                .containsPattern(
                        "=== Label tenant: the largest values ===\n\nacme\n   live      2000\\b")
                .contains("\n(none)\n   live      7", "\n(other)\n   live      5");
        assertThat(get(shop, PAGE + "top.json"))
                .contains(
                        "\"labels\":[{\"key\":\"endpoint\",\"values\":[{\"set\":{\"endpoint\":\"GET"
                                + " /orders\"},\"other\":false,\"live\":")
                .contains("{\"set\":{\"endpoint\":\"GET /orders\",\"tenant\":\"acme\"}");
    }

    @Test
    void oddTextsStayWithinTheirLine() throws IOException {
        EndpointOptions.Builder options = options().metricsLabel("tenant");
        HeapSamplerEndpoint odd =
                new HeapSamplerEndpoint(
                        options.build(),
                        Labelled.byTenant(Map.of(HOSTILE, 9, "\ud800", 1, "?", 2)));

        assertThat(get(odd, PAGE + "top.txt"))
                .contains("\n<script>\"\\???[31m{}\u2028\n")
                .doesNotContain("\u001b", "\r");
        assertThat(get(odd, PAGE + "top.json"))
                .contains("\\u003cscript\\u003e\\\"\\\\\\u000a\\u000d\\u001b[31m{}")
                .doesNotContain("\u001b", "\r");
        String metrics = get(odd, PAGE + "metrics");
        assertThat(metrics).contains("value=\"<script>\\\"\\\\\\n\r\u001b[31m{}\u2028\"} 9\n");
        // Prometheus cannot tell these two apart, and would refuse a series that comes twice.
        assertThat(metrics).containsOnlyOnce("value=\"?\"} 3\n");
    }

    private static List<String> series(EndpointOptions options, Map<String, Integer> bytes)
            throws IOException {
        Labelled source = Labelled.byTenant(bytes);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MetricsText.write(source.status(), source.snapshot(null), options, out);
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("heapsampler_label_"))
                .toList();
    }

    @Test
    void metricsHaveNoLabelsByDefault() throws IOException {
        assertThat(series(EndpointOptions.defaults(), Map.of("acme", 1))).isEmpty();
    }

    @Test
    void metricsOfALabelAreBounded() throws IOException {
        Map<String, Integer> bytes = new HashMap<>();
        for (int i = 1; i <= 30; i++) {
            bytes.put("tenant-" + i, 1000 * i);
        }
        bytes.put("(other)", 50);
        bytes.put("(none)", 3);
        EndpointOptions options = EndpointOptions.builder().metricsLabel("tenant").build();

        List<String> series = series(options, bytes);

        assertThat(series.subList(0, 2))
                .containsExactly(
                        "# HELP heapsampler_label_live_bytes Estimated bytes confirmed alive, by"
                                + " the values of a label with most.",
                        "# TYPE heapsampler_label_live_bytes gauge");
        assertThat(series).hasSize(2 + 20 + 2);
        assertThat(series.get(2))
                .isEqualTo(
                        "heapsampler_label_live_bytes{key=\"tenant\",value=\"tenant-30\"} 30000");
        assertThat(series)
                .contains(
                        "heapsampler_label_live_bytes{key=\"tenant\",value=\"(none)\"} 10",
                        // The ten small ones, one of this name, and the sets without room.
                        "heapsampler_label_live_bytes{key=\"tenant\",value=\"(other)\"} 55055");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.http.Asking.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes and growth of the samples of one label, and profiles with a duration or without. */
class LabelChangesTest {

    private static final String PPROF = "/debug/pprof/";
    private static final String PAGE = "/debug/heapsampler/";
    private static final int DURATION_NANOS = 10;

    private static final Pattern GROWTH =
            Pattern.compile("\"bytesPerSecond\":\\{\"value\":([0-9.]+)");

    /** Each second acme keeps 10,000 bytes more, and initech 20,000. */
    private final HeapSamplerEndpoint growing =
            new HeapSamplerEndpoint(
                    EndpointOptions.builder()
                            .allowUnauthenticated()
                            .second(Contract.SECOND)
                            .build(),
                    Labelled.growing());

    private Answer get(String target) {
        Answer answer = Asking.ask(growing, "GET", target);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer;
    }

    private byte[] profile(String target) throws IOException {
        return Gzip.read(get(PPROF + target).body());
    }

    private static String text(byte[] profile) {
        return new String(profile, StandardCharsets.ISO_8859_1);
    }

    private double growth(String query) {
        Matcher growth = GROWTH.matcher(get(PAGE + "growth.json?seconds=4" + query).text());
        assertThat(growth.find()).isTrue();
        return Double.parseDouble(growth.group(1));
    }

    @Test
    void growthIsThatOfTheLabel() {
        assertThat(Math.round(growth(""))).isEqualTo(30_000);
        assertThat(Math.round(growth("&only=tenant=acme"))).isEqualTo(10_000);
        assertThat(get(PAGE + "growth.json?seconds=4&only=tenant=absent").text())
                .contains("\"sites\":0,");
    }

    @Test
    void theReportOfAChangeHasTheLabelAlone() throws IOException {
        assertThat(PackedReport.text(get(PAGE + "diff.html?seconds=1").text()))
                .contains("\"acme\"", "\"initech\"");
        assertThat(PackedReport.text(get(PAGE + "diff.html?seconds=1&only=tenant=acme").text()))
                .contains("\"acme\"")
                .doesNotContain("initech");
    }

    @ParameterizedTest
    @ValueSource(strings = {"heap?seconds=1", "allocs?seconds=1", "delta_heap?"})
    void theProfileOfAChangeHasTheLabelAlone(String target) throws IOException {
        assertThat(text(profile(target))).contains("acme", "initech");
        for (int i = 0; i < 2; i++) { // A second delta begins where the first one ended.
            assertThat(text(profile(target + "&only=tenant=acme")))
                    .contains("acme")
                    .doesNotContain("initech");
        }
    }

    /** Returns the last value of a number of the outermost message; 0 if it is missing. */
    private static long number(byte[] profile, int field) {
        ByteBuffer bytes = ByteBuffer.wrap(profile);
        long found = 0;
        while (bytes.hasRemaining()) {
            long tag = varint(bytes);
            long value = varint(bytes);
            if ((tag & 7) == 2) {
                bytes.position(bytes.position() + (int) value);
            } else if (tag >>> 3 == field) {
                found = value;
            }
        }
        return found;
    }

    private static long varint(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = bytes.get();
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    /** A scraper treats a profile with a duration as a change, and sums several. */
    @ParameterizedTest
    @ValueSource(strings = {"heap", "allocs"})
    void aProfileOfAMomentHasNoDuration(String name) throws IOException {
        assertThat(number(profile(name), DURATION_NANOS)).isZero();
        assertThat(number(profile(name + "?only=tenant=acme"), DURATION_NANOS)).isZero();
        assertThat(number(profile(name + "?seconds=1"), DURATION_NANOS)).isPositive();
        byte[] file = Gzip.read(get(PAGE + "snapshot.pb.gz").body());
        assertThat(number(file, DURATION_NANOS)).isPositive();
    }
}

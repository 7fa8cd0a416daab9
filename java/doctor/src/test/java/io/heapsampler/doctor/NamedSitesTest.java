// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heapsampler.Estimate;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much of a problem the named sites explain. */
class NamedSitesTest {

    private static final double MB = 1 << 20;

    /** With the error that samples of half a megabyte have. */
    private static Estimate estimate(long samples) {
        double value = samples * MB / 2;
        return Estimate.of(value, value * MB / 2, 0, samples);
    }

    private static List<SiteEvidence> site(long samples) {
        return List.of(new SiteEvidence("byte[]", List.of(), "live", estimate(samples), "bytes"));
    }

    @Test
    void ofATotalOfTheSameSamplesTheErrorIsThatOfAShare() {
        NamedSites.Share share = NamedSites.Share.of(site(25), estimate(100));

        // Of 100 samples 25: the standard error is the root of 0.25 · 0.75 / 100.
        assertThat(share.value()).isEqualTo(0.25);
        assertThat(share.error()).isCloseTo(1.96 * 0.0433, within(1e-4));
        assertThat(NamedSites.Share.of(site(100), estimate(100)).text()).isEqualTo("100 %");
    }

    @Test
    void ofAMeasuredTotalTheErrorIsThatOfTheSites() {
        NamedSites.Share share = NamedSites.Share.of(site(100), 200 * MB);

        assertThat(share.value()).isEqualTo(0.25);
        assertThat(share.error()).isCloseTo(1.96 * 0.025, within(1e-4));
    }

    @Test
    void withFewSamplesThereIsNoError() {
        assertThat(NamedSites.Share.of(site(9), estimate(100)).text())
                .isEqualTo("9 % (too few samples)");
    }

    @Test
    void theSentenceSaysWhatTheRestIs() {
        NamedSites named = NamedSites.of(site(25), estimate(100), "the live bytes");

        assertThat(named.explained().text())
                .isEqualTo(
                        "The sites named explain 25 % ± 8.5 % of the live bytes. The rest is at"
                                + " other sites.");
        assertThat(NamedSites.of(List.of(), estimate(100), "x").explained()).isNull();
    }

    @Test
    void whereTheyExplainAllThereIsNoRest() {
        assertThat(NamedSites.of(site(100), estimate(100), "the live bytes").explained().text())
                .isEqualTo("The sites named explain 100 % of the live bytes.");
    }

    /** Such as 100 % ± 250 %. */
    @Test
    void anErrorOfMoreThanTheWholeSaysNothing() {
        NamedSites.Share share = NamedSites.Share.of(site(10), 2 * MB);

        assertThat(share.error()).isGreaterThan(1);
        assertThat(share.text()).isEqualTo("100 % (too few samples)");
    }
}

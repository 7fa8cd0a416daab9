// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.internal.Exporting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Profiles without labels, and changes without what has not changed. */
class PprofLabelsTest {

    private static final ExportOptions NO_LABELS = ExportOptions.builder().labels(false).build();

    private static String text(byte[] profile) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(profile))) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void withoutLabelsNoThreadIsNamed() throws IOException {
        byte[] with = Heaps.export(ExportFormat.PPROF, Heaps.small(), ExportOptions.defaults());
        byte[] without = Heaps.export(ExportFormat.PPROF, Heaps.small(), NO_LABELS);

        assertThat(text(with)).contains("pool-1-thread-1", "byte[]");
        assertThat(text(without)).doesNotContain("pool-1-thread-1").contains("byte[]");
    }

    @Test
    void aSiteIsOneSampleWithoutLabels() throws IOException {
        // Three sites, of which the first has live objects of two threads and ages.
        assertThat(samples(Heaps.export(ExportFormat.PPROF, Heaps.small(), NO_LABELS)))
                .isEqualTo(3);
        assertThat(
                        samples(
                                Heaps.export(
                                        ExportFormat.PPROF,
                                        Heaps.small(),
                                        ExportOptions.defaults())))
                .isEqualTo(5);
    }

    @Test
    void sitesThatNothingHappenedToAreLeftOut() throws IOException {
        HeapSnapshot snapshot = Heaps.small();
        ExportOptions options =
                ExportOptions.builder().labels(false).allocatedSince(snapshot).build();

        byte[] profile = Heaps.export(ExportFormat.PPROF, snapshot, options);

        assertThat(samples(profile)).isEqualTo(1);
        assertThat(text(profile)).contains("Cart.java").doesNotContain("Item[][]");
    }

    /** Readers that scrape take a profile with a duration for a change, and add up its figures. */
    @Test
    void aProfileOfAMomentHasNoDuration() throws IOException {
        ExportOptions moment = Exporting.get().momentary(ExportOptions.builder()).build();

        byte[] profile = Heaps.export(ExportFormat.PPROF, Heaps.small(), moment);

        assertThat(number(profile, 9)).isPositive();
        assertThat(number(profile, 10)).isZero();
        assertThat(
                        number(
                                Heaps.export(
                                        ExportFormat.PPROF,
                                        Heaps.small(),
                                        ExportOptions.defaults()),
                                10))
                .isPositive();
    }

    /** Counts fields 2 of the outermost message, which are samples. */
    private static int samples(byte[] profile) throws IOException {
        return (int) fields(profile, 2)[0];
    }

    /** Returns the last value of a field of the outermost message; 0 if it is missing. */
    private static long number(byte[] profile, int field) throws IOException {
        return fields(profile, field)[1];
    }

    /** Returns how many fields of a number there are, and the value or the length of the last. */
    private static long[] fields(byte[] profile, int field) throws IOException {
        byte[] bytes = text(profile).getBytes(StandardCharsets.ISO_8859_1);
        long[] found = {0, 0};
        int at = 0;
        while (at < bytes.length) {
            int tag = bytes[at++];
            long value = 0;
            int shift = 0;
            byte b;
            do {
                b = bytes[at++];
                value |= (long) (b & 0x7F) << shift;
                shift += 7;
            } while (b < 0);
            if (tag >>> 3 == field) {
                found[0]++;
                found[1] = value;
            }
            at += (tag & 7) == 2 ? (int) value : 0;
        }
        return found;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Profiles whose tables do not fit into one chunk: the references of samples are still found. */
class PprofTablesTest {

    private static final int SITES = 3_000;

    /** A profile as its readers have it: tables by number. */
    private record Profile(Message all, List<String> strings, Map<Long, String> names) {

        static Profile of(byte[] gzip) throws IOException {
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
                Message all = Message.of(ByteBuffer.wrap(in.readAllBytes()));
                List<String> strings = all.strings(6);
                Map<Long, String> functions = new HashMap<>();
                for (Message function : all.all(5)) {
                    functions.put(function.number(1), strings.get((int) function.number(2)));
                }
                Map<Long, String> names = new HashMap<>();
                for (Message location : all.all(4)) {
                    names.put(location.number(1), functions.get(location.one(4).number(1)));
                }
                assertThat(names).hasSameSizeAs(all.all(4)).doesNotContainValue(null);
                return new Profile(all, strings, names);
            }
        }

        List<String> stack(Message sample) {
            return sample.packed(1).stream().map(names::get).toList();
        }
    }

    private static List<String> stack(SiteRow row) {
        return row.stack().stream().map(SiteRow::name).toList();
    }

    @Test
    void samplesOfManySitesFindTheirFrames() throws IOException {
        HeapSnapshot snapshot = Heaps.large(SITES);
        Profile profile =
                Profile.of(Heaps.export(ExportFormat.PPROF, snapshot, ExportOptions.defaults()));

        List<Message> sites =
                profile.all.all(2).stream().filter(sample -> sample.packed(2).get(0) > 0).toList();
        List<SiteRow> rows = SiteRow.of(snapshot, ExportOptions.defaults());
        assertThat(sites).hasSize(SITES);
        for (int i = 0; i < SITES; i++) {
            assertThat(profile.stack(sites.get(i))).isEqualTo(stack(rows.get(i)));
            long className = sites.get(i).all(3).get(0).number(2);
            assertThat(profile.strings.get((int) className)).isEqualTo(rows.get(i).className());
        }
        assertThat(profile.strings.get(0)).isEmpty();
    }

    @Test
    void changesOfManySitesFindTheirFrames() throws IOException {
        HeapSnapshot snapshot = Heaps.large(SITES);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ExportOptions options =
                ExportOptions.builder().labels(false).comparedWith(Heaps.empty()).build();
        snapshot.writeTo(out, ExportFormat.PPROF.with(options));
        Profile profile = Profile.of(out.toByteArray());

        List<SiteRow> rows = SiteRow.of(snapshot.diff(Heaps.empty()), options, options.labels());
        List<Message> samples = profile.all.all(2);
        for (int i = 0; i < SITES; i++) {
            List<String> stack = profile.stack(samples.get(i));
            assertThat(stack.get(0)).isEqualTo(rows.get(i).className());
            assertThat(stack.subList(1, stack.size())).isEqualTo(stack(rows.get(i)));
        }
    }
}

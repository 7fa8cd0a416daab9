// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** A sample of a pprof profile as its readers have it: names in place of numbers. */
record PprofSample(
        List<String> stack,
        List<Long> values,
        Map<String, String> labels,
        Map<String, Long> numbers) {

    static List<PprofSample> export(HeapSnapshot snapshot, ExportOptions.Builder options)
            throws IOException {
        return read(Heaps.export(ExportFormat.PPROF, snapshot, options.build()));
    }

    static List<PprofSample> read(byte[] gzip) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            Message profile = Message.of(ByteBuffer.wrap(in.readAllBytes()));
            List<String> strings = profile.strings(6);
            Map<Long, String> functions = new HashMap<>();
            for (Message function : profile.all(5)) {
                functions.put(function.number(1), strings.get((int) function.number(2)));
            }
            Map<Long, String> locations = new HashMap<>();
            for (Message location : profile.all(4)) {
                locations.put(location.number(1), functions.get(location.one(4).number(1)));
            }
            List<PprofSample> samples = new ArrayList<>();
            for (Message sample : profile.all(2)) {
                samples.add(of(sample, strings, locations));
            }
            return samples;
        }
    }

    private static PprofSample of(
            Message sample, List<String> strings, Map<Long, String> locations) {
        Map<String, String> labels = new TreeMap<>();
        Map<String, Long> numbers = new TreeMap<>();
        for (Message label : sample.all(3)) {
            String key = strings.get((int) label.number(1));
            String text = strings.get((int) label.number(2));
            boolean isSecond =
                    text.isEmpty()
                            ? numbers.put(key, label.number(3)) != null
                            : labels.put(key, text) != null;
            if (isSecond || (labels.containsKey(key) && numbers.containsKey(key))) {
                throw new AssertionError("two labels " + key);
            }
        }
        List<String> stack = sample.packed(1).stream().map(locations::get).toList();
        return new PprofSample(stack, sample.packed(2), labels, numbers);
    }

    /** The sums of the four figures. */
    static List<Long> sums(List<PprofSample> samples) {
        List<Long> sums = new ArrayList<>(List.of(0L, 0L, 0L, 0L));
        for (PprofSample sample : samples) {
            for (int i = 0; i < sums.size(); i++) {
                sums.set(i, sums.get(i) + sample.values.get(i));
            }
        }
        return sums;
    }

    /** The sums of a figure by the value of a label; "" without it. */
    static Map<String, Long> by(String key, int figure, List<PprofSample> samples) {
        Map<String, Long> sums = new TreeMap<>();
        for (PprofSample sample : samples) {
            String value = sample.labels.getOrDefault(key, "");
            sums.merge(value, sample.values.get(figure), Long::sum);
        }
        return sums;
    }
}

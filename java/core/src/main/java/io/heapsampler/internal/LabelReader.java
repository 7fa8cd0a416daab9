// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.SnapshotDecoder.Section;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the sections LABELS and SITE_LABELS, and merges the rows of SITES that differ by their
 * labels only. For one thread.
 */
final class LabelReader {

    private final byte[] bytes;
    private final ByteBuffer block;
    private LabelSet[] sets = {};
    private int[] setOfRow = {};

    LabelReader(byte[] bytes) {
        this.bytes = bytes;
        this.block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void readSets(Section section) {
        if (section.count() > section.bytes() / Integer.BYTES) {
            throw SnapshotDecoder.corrupt(
                    "section %s cannot hold %d entries in %d bytes",
                    section.name(), section.count(), section.bytes());
        }
        sets = new LabelSet[section.count()];
        int position = section.start();
        for (int i = 0; i < sets.length; i++) {
            int length = section.end() - position < 4 ? -1 : block.getInt(position);
            position += Integer.BYTES;
            if (length < 0 || length > section.end() - position) {
                throw SnapshotDecoder.corrupt("label set %d leaves its section", i);
            }
            sets[i] = readSet(position, position + length, i);
            position += length;
        }
    }

    private LabelSet readSet(int start, int end, int number) {
        if (end - start == 1 && bytes[start] == 0) {
            return LabelSet.OTHER;
        }
        SortedMap<String, String> labels = new TreeMap<>();
        String last = "";
        int position = start;
        while (position < end) {
            int keyEnd = textEnd(position, end, number);
            int valueEnd = textEnd(keyEnd + 1, end, number);
            String key = text(position, keyEnd, number);
            if (key.compareTo(last) <= 0) {
                throw SnapshotDecoder.corrupt("label set %d is not sorted by key", number);
            }
            labels.put(key, text(keyEnd + 1, valueEnd, number));
            if (labels.size() > LabelText.MAX_LABELS) {
                throw SnapshotDecoder.corrupt(
                        "label set %d has more than %d labels", number, LabelText.MAX_LABELS);
            }
            last = key;
            position = valueEnd + 1;
        }
        return LabelSet.of(labels);
    }

    /** Returns where the 0 behind a text is. */
    private int textEnd(int start, int end, int number) {
        for (int i = start; i < end; i++) {
            if (bytes[i] == 0) {
                return i;
            }
        }
        throw SnapshotDecoder.corrupt("label set %d ends within a label", number);
    }

    private String text(int start, int end, int number) {
        String text = ModifiedUtf8.decode(bytes, start, end - start);
        if (text == null) {
            throw SnapshotDecoder.corrupt("label set %d is not modified UTF-8", number);
        }
        return text;
    }

    /** After the sites. */
    void readSetOfRows(Section section, int rows) {
        section.ofEntries(Integer.BYTES);
        if (section.count() != 0 && section.count() != rows) {
            throw SnapshotDecoder.corrupt(
                    "section %s has %d entries for %d sites",
                    section.name(), section.count(), rows);
        }
        setOfRow = new int[section.count()];
        for (int i = 0; i < setOfRow.length; i++) {
            int set = block.getInt(section.start() + i * Integer.BYTES);
            if (set < 0 || set >= sets.length) {
                throw SnapshotDecoder.corrupt(
                        "entry %d of %s names label set %s of %d",
                        i, section.name(), Integer.toUnsignedString(set), sets.length);
            }
            setOfRow[i] = set;
        }
    }

    /** After everything else: makes sites of the rows. */
    void merge(SnapshotData data) {
        int rows = data.siteStacks.length;
        if (setOfRow.length == 0) {
            data.rows = SiteRows.unlabelled(rows);
            return;
        }
        int[] siteOfRow = new int[rows];
        int[] firstRow = new int[rows];
        int sites = 0;
        Map<Long, Integer> known = new HashMap<>();
        for (int row = 0; row < rows; row++) {
            long key = (long) data.siteStacks[row] << 32 | (data.siteClasses[row] & 0xFFFF_FFFFL);
            Integer site = known.putIfAbsent(key, sites);
            siteOfRow[row] = site == null ? sites : site;
            if (site == null) {
                firstRow[sites++] = row;
            }
        }
        data.rows = SiteRows.of(sets, setOfRow, siteOfRow, sites);
        firstRow = Arrays.copyOf(firstRow, sites);
        data.siteStacks = Arrays.stream(firstRow).map(row -> data.siteStacks[row]).toArray();
        data.siteClasses = Arrays.stream(firstRow).map(row -> data.siteClasses[row]).toArray();
        mergeDensity(data, siteOfRow, sites);
        SampleColumns samples = data.samples;
        samples.site = Arrays.stream(samples.row).map(row -> siteOfRow[row]).toArray();
    }

    private static void mergeDensity(SnapshotData data, int[] siteOfRow, int sites) {
        if (data.siteFound.length == 0) {
            return;
        }
        long[] found = new long[sites];
        double[] passed = new double[sites];
        for (int row = 0; row < siteOfRow.length; row++) {
            if (data.sitePassed[row] > 0) {
                int site = siteOfRow[row];
                found[site] = Tally.sum(found[site], data.siteFound[row]);
                passed[site] += data.sitePassed[row];
            }
        }
        data.siteFound = found;
        data.sitePassed = passed;
    }
}

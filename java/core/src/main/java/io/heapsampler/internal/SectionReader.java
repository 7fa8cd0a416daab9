// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.SnapshotDecoder.Section;
import java.nio.charset.StandardCharsets;

/**
 * Reads the payloads of the sections, in the order in which they refer to each other, and checks
 * every index and figure.
 *
 * <p>The work per entry of a long section is in a method of its own: such a method is compiled
 * after some hundred calls, while a loop that runs once stays interpreted for most of a snapshot.
 */
final class SectionReader extends SectionWords {

    private static final double DENSITY_UNIT = 65_536;

    private final SnapshotData data = new SnapshotData();
    private final double[] sums = new double[4];
    private final LabelReader labels;
    private Tally allocatedByRow = new Tally(0);
    private Tally allocatedByThread = new Tally(0);

    SectionReader(byte[] bytes) {
        super(bytes);
        this.labels = new LabelReader(bytes);
    }

    /** Returns a reader of the samples, for when the sites and threads are read. */
    SampleReader samples() {
        return new SampleReader(bytes, data);
    }

    SnapshotData finish() {
        data.block = bytes;
        labels.merge(data);
        data.finish(allocatedByRow, allocatedByThread);
        return data;
    }

    void readInfo(Section section) {
        int least = Info.FIRST_COUNT * Long.BYTES;
        if (section.count() != 1 || section.bytes() < least || section.bytes() % Long.BYTES != 0) {
            throw SnapshotDecoder.corrupt(
                    "section INFO has %d entries in %d bytes, not 1 in %d or more",
                    section.count(), section.bytes(), least);
        }
        open(section);
        for (int i = 0; i < Math.min(data.info.length, section.bytes() / Long.BYTES); i++) {
            data.info[i] = int64(section.start() + i * Long.BYTES);
        }
    }

    void readDrops(Section section) {
        section.ofEntries(Long.BYTES);
        open(section);
        data.drops = new long[section.count()];
        for (int i = 0; i < data.drops.length; i++) {
            data.drops[i] =
                    notNegative(section, i, int64(section.start() + i * Long.BYTES), "a count");
        }
    }

    void readNames(Section section) {
        data.names = new String[checkedCount(section)];
        int position = section.start();
        for (int i = 0; i < data.names.length; i++) {
            int length = section.end() - position < 4 ? -1 : block.getInt(position);
            position += 4;
            if (length < 0 || length > section.end() - position) {
                throw SnapshotDecoder.corrupt("name %d leaves its section", i);
            }
            data.names[i] = readName(position, length, i);
            position += length;
        }
    }

    private String readName(int start, int length, int number) {
        for (int i = start; i < start + length; i++) {
            if (bytes[i] <= 0) {
                String name = ModifiedUtf8.decode(bytes, start, length);
                if (name == null) {
                    throw SnapshotDecoder.corrupt("name %d is not modified UTF-8", number);
                }
                return name;
            }
        }
        return new String(bytes, start, length, StandardCharsets.ISO_8859_1);
    }

    void readFrames(Section section) {
        section.ofEntries(SnapshotData.FRAME_FIELDS * Integer.BYTES);
        open(section);
        data.frames = new int[section.count() * SnapshotData.FRAME_FIELDS];
        for (int i = 0; i < section.count(); i++) {
            readFrame(section, i);
        }
    }

    private void readFrame(Section section, int i) {
        int at = section.start() + i * SnapshotData.FRAME_FIELDS * Integer.BYTES;
        int to = i * SnapshotData.FRAME_FIELDS;
        for (int field = 0; field < SnapshotData.FRAME_NAMES; field++) {
            data.frames[to + field] =
                    index(section, i, int32(at + field * 4), data.names.length, "name");
        }
        data.frames[to + 5] = Math.max(int32(at + 20), -1);
        data.frames[to + 6] = int32(at + 24);
    }

    void readStacks(Section section) {
        open(section);
        int count = checkedCount(section);
        data.stackStarts = new int[count + 1];
        data.stackTruncated = new boolean[count];
        data.stackFrames = new int[section.bytes() / 4 - count];
        int position = section.start();
        for (int i = 0; i < count; i++) {
            position = readStack(section, i, position);
        }
    }

    private int readStack(Section section, int i, int position) {
        int head = section.end() - position < 4 ? -1 : int32(position);
        int depth = head & Integer.MAX_VALUE;
        int start = data.stackStarts[i];
        int room = data.stackFrames.length - start;
        if (depth > room || depth > (section.end() - position - 4) / 4) {
            throw SnapshotDecoder.corrupt("stack %d leaves its section", i);
        }
        for (int k = 0; k < depth; k++) {
            data.stackFrames[start + k] =
                    index(section, i, int32(position + 4 + 4 * k), data.frameCount(), "frame");
        }
        data.stackTruncated[i] = head < 0;
        data.stackStarts[i + 1] = start + depth;
        return position + 4 + 4 * depth;
    }

    void readSites(Section section) {
        section.ofEntries(64);
        open(section);
        int count = section.count();
        data.siteStacks = new int[count];
        data.siteClasses = new int[count];
        data.rowLifetimes = new int[count];
        allocatedByRow = new Tally(count);
        for (int i = 0; i < count; i++) {
            readSite(section, i);
        }
    }

    private void readSite(Section section, int i) {
        int at = section.start() + i * 64;
        data.siteStacks[i] =
                indexOrNone(section, i, int32(at), data.stackTruncated.length, "stack");
        data.siteClasses[i] = indexOrNone(section, i, int32(at + 4), data.names.length, "name");
        data.rowLifetimes[i] =
                indexOrNone(section, i, int32(at + 56), data.deaths.length, "lifetime");
        readSums(section, i, at + 8, allocatedByRow);
    }

    /** After the sites. */
    void readLabels(Section sets, Section setOfRows) {
        labels.readSets(sets);
        labels.readSetOfRows(setOfRows, data.siteStacks.length);
    }

    /** After the sites. */
    void readExamples(Section section) {
        data.examples = SiteExamples.read(bytes, section, data.siteStacks.length);
    }

    /** Reads what lies before the samples of each site, which older blocks do not say. */
    void readDensity(Section section) {
        section.ofEntries(2 * Long.BYTES);
        int count = section.count();
        if (count != 0 && count != data.siteStacks.length) {
            throw SnapshotDecoder.corrupt(
                    "section %s has %d entries for %d sites",
                    section.name(), count, data.siteStacks.length);
        }
        open(section);
        data.siteFound = new long[count];
        data.sitePassed = new double[count];
        for (int i = 0; i < count; i++) {
            int at = section.start() + i * 2 * Long.BYTES;
            data.siteFound[i] = notNegative(section, i, int64(at), "a count");
            data.sitePassed[i] = notNegative(section, i, int64(at + 8), "a length") / DENSITY_UNIT;
        }
    }

    void readThreads(Section section) {
        section.ofEntries(64);
        open(section);
        int count = section.count();
        data.threadIds = new long[count];
        data.threadNames = new int[count];
        allocatedByThread = new Tally(count);
        for (int i = 0; i < count; i++) {
            int at = section.start() + i * 64;
            data.threadIds[i] = int64(at);
            data.threadNames[i] = index(section, i, int32(at + 8), data.names.length, "name");
            readSums(section, i, at + 16, allocatedByThread);
        }
    }

    /** Reads samples, objects, variance, bytes, variance, sampled bytes: 48 bytes. */
    private void readSums(Section section, int i, int at, Tally tally) {
        long samples = notNegative(section, i, int64(at), "a count");
        for (int k = 0; k < sums.length; k++) {
            sums[k] = figure(section, i, float64(at + 8 + 8 * k));
        }
        tally.addSums(i, samples, sums, notNegative(section, i, int64(at + 40), "a size"));
    }

    void readLifetimes(Section section) {
        int entry = Long.BYTES + SnapshotData.LIFETIME_BUCKETS * Double.BYTES;
        section.ofEntries(entry);
        open(section);
        data.deaths = new long[section.count()];
        data.lifetimes = new double[section.count() * SnapshotData.LIFETIME_BUCKETS];
        for (int i = 0; i < section.count(); i++) {
            int at = section.start() + i * entry;
            data.deaths[i] = notNegative(section, i, int64(at), "a count");
            for (int k = 0; k < SnapshotData.LIFETIME_BUCKETS; k++) {
                data.lifetimes[i * SnapshotData.LIFETIME_BUCKETS + k] =
                        figure(section, i, float64(at + 8 + 8 * k));
            }
        }
    }
}

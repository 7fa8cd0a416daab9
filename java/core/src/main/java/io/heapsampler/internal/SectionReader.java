// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.SnapshotDecoder.Section;
import io.heapsampler.internal.holders.HeldDecoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the payloads of the sections, in the order in which they refer to each other, and checks
 * every index and figure.
 *
 * <p>The work per entry of a long section is in a method of its own: such a method is compiled
 * after some hundred calls, while a loop that runs once stays interpreted for most of a snapshot.
 */
final class SectionReader {

    /** No figure of a JVM is as large, and the sum of so large ones is finite. */
    private static final double MOST = 1e200;

    private static final int MAX_THINNING = 62;
    private static final int LIVE_BYTES = 40;
    private static final int PLACE_BYTES = 4;
    private static final int DEAD_BYTES = 56;
    private static final int DEAD = 2;
    private static final double DENSITY_UNIT = 65_536;

    private final byte[] bytes;
    private final ByteBuffer block;

    /** The section at hand, and where it starts in the block. */
    private int[] words = {};

    private int wordsStart;
    private final SnapshotData data = new SnapshotData();
    private final double[] sums = new double[4];
    private final LabelReader labels;
    private Tally allocatedByRow = new Tally(0);
    private Tally allocatedByThread = new Tally(0);

    SectionReader(byte[] bytes) {
        this.bytes = bytes;
        this.block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.labels = new LabelReader(bytes);
    }

    /**
     * Copies a section whose entries are made of whole words, which is far cheaper to read from.
     */
    private void open(Section section) {
        words = new int[section.bytes() / Integer.BYTES];
        wordsStart = section.start();
        block.slice(section.start(), section.bytes())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asIntBuffer()
                .get(words);
    }

    private int int32(int at) {
        return words[(at - wordsStart) >> 2];
    }

    private long int64(int at) {
        int word = (at - wordsStart) >> 2;
        return (words[word] & 0xFFFF_FFFFL) | (long) words[word + 1] << 32;
    }

    private double float64(int at) {
        return Double.longBitsToDouble(int64(at));
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
        for (int i = 0; i < Math.min(data.info.length, words.length / 2); i++) {
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
        for (int field = 0; field < 5; field++) {
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

    void readSamples(Section living, Section dead) {
        living.ofEntries(LIVE_BYTES);
        dead.ofEntries(DEAD_BYTES);
        data.samples = new SampleColumns(living.count(), dead.count());
        open(living);
        for (int i = 0; i < living.count(); i++) {
            readSample(living, i, living.start() + i * LIVE_BYTES, i);
        }
        open(dead);
        for (int i = 0; i < dead.count(); i++) {
            int at = dead.start() + i * DEAD_BYTES;
            readSample(dead, i, at, living.count() + i);
            data.samples.lastSeenMicros[i] = int64(at + 40);
            data.samples.foundDeadMicros[i] = int64(at + 48);
        }
    }

    /** After the samples. */
    void readReach(Section section) {
        checkOnePerLiving(section.ofEntries(1));
        data.samples.reach = Arrays.copyOfRange(bytes, section.start(), section.end());
    }

    /** After the samples. */
    void readPlaces(Section section) {
        checkOnePerLiving(section.ofEntries(PLACE_BYTES));
        open(section);
        int[] places = new int[section.count()];
        for (int i = 0; i < places.length; i++) {
            places[i] = int32(section.start() + i * PLACE_BYTES);
        }
        data.samples.places = places;
    }

    private void checkOnePerLiving(Section section) {
        if (section.count() != 0 && section.count() != data.samples.living) {
            throw SnapshotDecoder.corrupt(
                    "section %s has %d entries for %d live samples",
                    section.name(), section.count(), data.samples.living);
        }
    }

    /**
     * After the samples. A section of another version is skipped, since it adds to the snapshot and
     * changes nothing.
     */
    void readHeld(Section section) {
        int version = HeldDecoder.version(bytes, section.start(), section.bytes());
        if (version != HeldDecoder.VERSION) {
            data.unreadHeldVersion = version;
            return;
        }
        data.held =
                HeldDecoder.decode(bytes, section.start(), section.bytes(), data.samples.living);
    }

    private void readSample(Section section, int i, int at, int to) {
        SampleColumns samples = data.samples;
        samples.row[to] = index(section, i, int32(at), data.siteStacks.length, "site");
        samples.thread[to] =
                indexOrNone(section, i, int32(at + 4), data.threadIds.length, "thread");
        samples.size[to] = int64(at + 8);
        samples.allocatedMicros[to] = int64(at + 16);
        samples.drawn[to] = int32(at + 24);
        samples.thinning[to] = (byte) int32(at + 28);
        samples.liveness[to] = (byte) (int32(at + 28) >> 8);
        samples.survived[to] = int32(at + 32);
        boolean livenessFits =
                to < samples.living
                        ? (samples.liveness[to] & ~1) == 0
                        : samples.liveness[to] == DEAD;
        if (samples.size[to] <= 0
                || !isChance(samples.drawn[to])
                || samples.thinning[to] < 0
                || samples.thinning[to] > MAX_THINNING
                || samples.survived[to] < 0
                || !livenessFits) {
            throw badSample(section, i, to);
        }
    }

    private static boolean isChance(int drawn) {
        float chance = Float.intBitsToFloat(drawn & Integer.MAX_VALUE);
        return drawn >= 0 || (chance > 0 && chance <= 1);
    }

    private IllegalArgumentException badSample(Section section, int i, int to) {
        SampleColumns samples = data.samples;
        return SnapshotDecoder.corrupt(
                "entry %d of %s has size %d, interval %d (or chance), thinning %d, liveness %d,"
                        + " collections %d",
                i,
                section.name(),
                samples.size[to],
                samples.drawn[to],
                samples.thinning[to],
                samples.liveness[to],
                samples.survived[to]);
    }

    /** Checks that a section whose entries vary in size can hold as many as it says. */
    private static int checkedCount(Section section) {
        if (section.count() > section.bytes() / 4) {
            throw SnapshotDecoder.corrupt(
                    "section %s cannot hold %d entries in %d bytes",
                    section.name(), section.count(), section.bytes());
        }
        return section.count();
    }

    static int index(Section section, int entry, int index, int count, String what) {
        if (index < 0 || index >= count) {
            throw SnapshotDecoder.corrupt(
                    "entry %d of %s names %s %s of %d",
                    entry, section.name(), what, Integer.toUnsignedString(index), count);
        }
        return index;
    }

    private static int indexOrNone(Section section, int entry, int index, int count, String what) {
        return index == SnapshotData.NONE ? index : index(section, entry, index, count, what);
    }

    private static long notNegative(Section section, int entry, long value, String what) {
        if (value < 0) {
            throw SnapshotDecoder.corrupt(
                    "entry %d of %s has %s of %d", entry, section.name(), what, value);
        }
        return value;
    }

    private static double figure(Section section, int entry, double value) {
        if (!(value >= 0 && value <= MOST)) {
            throw SnapshotDecoder.corrupt(
                    "entry %d of %s has the figure %s", entry, section.name(), value);
        }
        return value;
    }
}

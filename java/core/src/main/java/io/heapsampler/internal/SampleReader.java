// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.internal.SnapshotDecoder.Section;
import io.heapsampler.internal.holders.HeldDecoder;
import java.util.Arrays;

/** Reads the samples that are kept, and the sections with an entry for each of them. */
final class SampleReader extends SectionWords {

    private static final int MAX_THINNING = 62;
    private static final int LIVE_BYTES = 40;
    private static final int PLACE_BYTES = 4;
    private static final int DEAD_BYTES = 56;
    private static final int DEAD = 2;

    /** Of which the sites and threads are there. */
    private final SnapshotData data;

    SampleReader(byte[] bytes, SnapshotData data) {
        super(bytes);
        this.data = data;
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
}

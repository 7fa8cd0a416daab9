// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

/**
 * Encodes the samples of one site after the other. What the samples of a site have in common, stack
 * and class, is encoded once.
 */
final class PprofSamples {

    // Fields of the messages Sample and Label.
    private static final int LOCATION_ID = 1;
    private static final int VALUE = 2;
    private static final int LABEL = 3;
    private static final int KEY = 1;
    private static final int STRING = 2;
    private static final int NUMBER = 3;
    private static final int UNIT = 4;

    private final PprofTables tables;
    private final boolean hasLabels;
    private final int classKey;
    private final int bytesKey;
    private final int bytesUnit;
    private final int threadKey;
    private final int ageKey;
    private final int ageUnit;
    private final ProtoBuffer stack = new ProtoBuffer();
    private final ProtoBuffer type = new ProtoBuffer();
    private final ProtoBuffer sample = new ProtoBuffer();
    private final ProtoBuffer part = new ProtoBuffer();

    /** With labels, or with the class as the leaf of each stack instead of them. */
    PprofSamples(PprofTables tables, boolean hasLabels) {
        this.tables = tables;
        this.hasLabels = hasLabels;
        classKey = tables.string("class");
        bytesKey = tables.string("bytes");
        bytesUnit = tables.string("bytes");
        threadKey = tables.string("thread");
        ageKey = tables.string("age");
        ageUnit = tables.string("milliseconds");
    }

    /** Begins a site: its stack, leaf first, and its class. */
    void begin(SiteRow row) {
        stack.clear();
        if (!hasLabels) {
            stack.element(tables.location(row.className()));
        }
        tables.locations(row, stack);
        String ending = hasLabels ? row.ending() : row.endingUnderClass();
        if (ending != null) {
            stack.element(tables.location(ending));
        }
        type.clear().integer(KEY, classKey).integer(STRING, tables.string(row.className()));
    }

    /** Begins a sample of the site. */
    void values(long allocObjects, long allocBytes, long liveObjects, long liveBytes) {
        part.clear().element(allocObjects);
        part.element(allocBytes);
        part.element(liveObjects);
        part.element(liveBytes);
        sample.clear().packed(LOCATION_ID, stack).packed(VALUE, part);
        if (hasLabels) {
            sample.message(LABEL, type);
        }
    }

    /** Adds the size of an object; 0 adds nothing. */
    void bytes(long size) {
        number(bytesKey, size, bytesUnit);
    }

    /** Adds the least age; 0 adds nothing. */
    void age(long millis) {
        number(ageKey, millis, ageUnit);
    }

    private void number(int key, long value, int unit) {
        if (hasLabels && value > 0) {
            part.clear().integer(KEY, key).integer(NUMBER, value).integer(UNIT, unit);
            sample.message(LABEL, part);
        }
    }

    /** Adds the name of a thread; an empty one adds nothing. */
    void thread(String name) {
        if (hasLabels && !name.isEmpty()) {
            part.clear().integer(KEY, threadKey).integer(STRING, tables.string(name));
            sample.message(LABEL, part);
        }
    }

    /** The sample as it is by now. */
    ProtoBuffer sample() {
        return sample;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.util.BitSet;
import java.util.List;

/**
 * The tables of a pprof profile. A pprof profile has no order of samples and tables, so entries are
 * written soon after they are made, and no large arrays are needed, which collectors handle worst.
 */
final class PprofTables extends ProfileTables {

    // Fields of the message Profile.
    private static final int LOCATION = 4;
    private static final int FUNCTION = 5;
    private static final int STRING = 6;

    private static final int MAPPING_ID = 1;
    private static final int CHUNK = 1 << 17;

    private final ProtoBuffer entry = new ProtoBuffer();
    private final ProtoBuffer inner = new ProtoBuffer();

    PprofTables(HeapSnapshot snapshot) {
        super(STRING, snapshot);
    }

    /** Names of functions rarely repeat, so each is added without a lookup. */
    @Override
    int name(String text) {
        return newString(text);
    }

    @Override
    void addFunction(int number, int name, int systemName, int file, int firstLine) {
        entry.clear().integer(1, number).integer(2, name).integer(3, systemName);
        functions.message(FUNCTION, entry.integer(4, file).integer(5, firstLine));
    }

    @Override
    void addLocation(int number, int function, int line) {
        inner.clear().integer(1, function).integer(2, line);
        entry.clear().integer(1, number).integer(2, MAPPING_ID).message(4, inner);
        locations.message(LOCATION, entry);
    }

    /**
     * Makes the locations of all frames of these sites, in the order of the frames in memory, which
     * takes half the time of the order of the stacks.
     */
    void prepare(List<SiteRow> rows, OutputStream out) throws IOException {
        BitSet used = new BitSet();
        for (SiteRow row : rows) {
            HeapSite site = row.numbered();
            for (int frame : site == null ? new int[0] : site.frameNumbers()) {
                used.set(frame);
            }
        }
        for (int i = used.nextSetBit(0); i >= 0; i = used.nextSetBit(i + 1)) {
            location(i);
            writeMany(out);
        }
    }

    /** Writes the entries once there are enough for good compression. */
    void writeMany(OutputStream out) throws IOException {
        if (strings.size() > CHUNK) {
            writeRest(out);
        }
    }

    void writeRest(OutputStream out) throws IOException {
        locations.drainTo(out);
        functions.drainTo(out);
        strings.drainTo(out);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import static io.heapsampler.internal.SnapshotDecoder.corrupt;

import io.heapsampler.internal.ModifiedUtf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the block of {@code native/doc/holders.md}. Every length and index is checked before it is
 * used, so no damaged block takes more memory than a few times its own size. For one thread.
 */
public final class HeldDecoder {

    static final int MAGIC = 'H' | 'H' << 8 | 'L' << 16 | 'D' << 24;

    /** The version that is read; blocks of others have another layout. */
    public static final int VERSION = 1;

    /** Of the magic and the version. */
    private static final int VERSION_BYTES = 8;

    /** Up to the reason. */
    static final int HEADER_BYTES = 72;

    private static final int MAX_WAY = 3;

    /** As µs this is 292 years, for which a {@code long} has nanoseconds. */
    private static final long MAX_FIGURE = Long.MAX_VALUE / 1_000;

    private static final int LEAST_TARGET_BYTES = 8;
    private static final int ROOT_BYTES = 20;
    private static final int STEP_BYTES = 16;
    private static final int FIRST_WATCHED = 1 << 31;

    private final byte[] bytes;
    private final ByteBuffer block;
    private final int end;
    private final int living;
    private final HeldPaths paths = new HeldPaths();
    private int at;

    private HeldDecoder(byte[] bytes, int start, int length, int living) {
        this.bytes = bytes;
        this.block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.at = start;
        this.end = start + length;
        this.living = living;
    }

    /**
     * Returns the version of a payload, without reading more of it.
     *
     * @throws IllegalArgumentException if it does not begin like one
     */
    public static int version(byte[] bytes, int start, int length) {
        HeldDecoder decoder = new HeldDecoder(bytes, start, length, 0);
        decoder.require(VERSION_BYTES, "header", 1);
        return decoder.readVersion();
    }

    private int readVersion() {
        if (block.getInt(at) != MAGIC) {
            throw corrupt("section HELD does not begin with HHLD");
        }
        return Short.toUnsignedInt(block.getShort(at + 4));
    }

    /**
     * Decodes the payload of a section, which lies within the array.
     *
     * @param living the number of samples in LIVE of the same snapshot
     * @throws IllegalArgumentException if it is damaged; the message says where
     */
    public static HeldPaths decode(byte[] bytes, int start, int length, int living) {
        return new HeldDecoder(bytes, start, length, living).decode();
    }

    private HeldPaths decode() {
        readHeader();
        readNames();
        readTargets();
        if (at < end) {
            readAddition();
        }
        if (at != end) {
            throw corrupt("%d bytes are left at the end of section HELD", end - at);
        }
        return paths;
    }

    private void readHeader() {
        require(HEADER_BYTES, "header", 1);
        int version = readVersion();
        if (version != VERSION) {
            throw corrupt("section HELD is of version %d", version);
        }
        paths.way = limited(block.getInt(at + 8), MAX_WAY + 1, "way");
        paths.hasDominators = (block.getInt(at + 12) & 1) != 0;
        at += 16;
        for (int i = 0; i < paths.figures.length; i++) {
            paths.figures[i] = readCount("figure", i);
            if (paths.figures[i] > MAX_FIGURE) {
                throw corrupt("figure %d of section HELD is %d", i, paths.figures[i]);
            }
        }
        paths.reason = readText("reason", 1);
        paths.failure = readText("failure", 1);
    }

    private void readNames() {
        int count = readLength("the number of names", 1, Integer.BYTES);
        if (count == 0) {
            throw corrupt("section HELD has no name 0");
        }
        paths.names = new String[count];
        Map<String, String> known = new HashMap<>();
        for (int i = 0; i < count; i++) {
            String name = ClassNames.withoutRun(readText("name", i));
            String same = known.putIfAbsent(name, name);
            paths.names[i] = same == null ? name : same;
        }
    }

    private void readTargets() {
        int count = readLength("the number of targets", 1, LEAST_TARGET_BYTES);
        paths.place = new int[count];
        paths.outcome = new byte[count];
        paths.root = new byte[count];
        paths.rootClass = new int[count];
        paths.rootName = new int[count];
        paths.thread = new long[count];
        paths.start = new int[count + 1];
        int steps = (end - at) / STEP_BYTES;
        paths.kind = new byte[steps];
        paths.flags = new byte[steps];
        paths.from = new int[steps];
        paths.field = new int[steps];
        paths.to = new int[steps];
        boolean[] isKnown = new boolean[living];
        for (int i = 0; i < count; i++) {
            readTarget(i, isKnown);
        }
        trimSteps(paths.start[count]);
    }

    private void trimSteps(int count) {
        paths.kind = Arrays.copyOf(paths.kind, count);
        paths.flags = Arrays.copyOf(paths.flags, count);
        paths.from = Arrays.copyOf(paths.from, count);
        paths.field = Arrays.copyOf(paths.field, count);
        paths.to = Arrays.copyOf(paths.to, count);
    }

    private void readTarget(int i, boolean[] isKnown) {
        require(LEAST_TARGET_BYTES, "target", i);
        int place = block.getInt(at);
        if (place >= living) {
            throw corrupt("target %d of HELD names sample %d of %d", i, place, living);
        }
        if (place >= 0) {
            if (isKnown[place]) {
                throw corrupt("target %d of HELD names sample %d once more", i, place);
            }
            isKnown[place] = true;
        }
        paths.place[i] = place;
        paths.outcome[i] = (byte) limited(bytes[at + 4], HeldPaths.OUTCOMES, "outcome");
        int root = bytes[at + 5];
        int steps = Short.toUnsignedInt(block.getShort(at + 6));
        at += LEAST_TARGET_BYTES;
        boolean isHeld = paths.outcome[i] == HeldPaths.HELD;
        if (isHeld ? steps == 0 || steps > HeldPaths.MAX_STEPS : steps != 0) {
            throw corrupt(
                    "target %d of HELD has outcome %d and %d steps", i, paths.outcome[i], steps);
        }
        paths.start[i + 1] = paths.start[i] + steps;
        if (isHeld) {
            paths.root[i] = (byte) limited(root, HeldPaths.ROOT_KINDS, "kind of root");
            readRoot(i);
            readSteps(i, steps);
        }
    }

    private void readRoot(int i) {
        require(ROOT_BYTES, "the root of target", i);
        paths.rootClass[i] = name(block.getInt(at));
        paths.rootName[i] = name(block.getInt(at + 4));
        paths.thread[i] = block.getLong(at + 12);
        at += ROOT_BYTES;
    }

    private void readSteps(int target, int count) {
        require((long) count * STEP_BYTES, "the steps of target", target);
        for (int i = paths.start[target]; i < paths.start[target + 1]; i++) {
            paths.kind[i] = (byte) limited(bytes[at], HeldPaths.STEP_KINDS, "kind of step");
            paths.flags[i] = bytes[at + 1];
            paths.from[i] = name(block.getInt(at + 4));
            paths.field[i] = name(block.getInt(at + 8));
            paths.to[i] = name(block.getInt(at + 12));
            at += STEP_BYTES;
        }
    }

    private void readAddition() {
        long matching = readCount("the number of matching samples", 1);
        String question = readText("question", 1);
        int count = readLength("the number of threads", 1, Long.BYTES + Integer.BYTES);
        Map<Long, String> threads = new HashMap<>();
        for (int i = 0; i < count; i++) {
            require(Long.BYTES, "thread", i);
            long id = block.getLong(at);
            at += Long.BYTES;
            threads.put(id, readText("the name of thread", i));
        }
        paths.addition = new HeldAddition(matching, question, threads);
    }

    // ---- Pieces ----

    private void require(long count, String what, int number) {
        if (count > end - at) {
            throw corrupt("section HELD ends within %s %d", what, number);
        }
    }

    /** Reads how many things there are, of which each takes some bytes at least. */
    private int readLength(String what, int number, int leastBytes) {
        require(Integer.BYTES, what, number);
        int count = block.getInt(at);
        at += Integer.BYTES;
        if (count < 0 || count > (end - at) / leastBytes) {
            throw corrupt(
                    "%s %d of section HELD has a length of %s, where %d bytes are left",
                    what, number, Integer.toUnsignedString(count), end - at);
        }
        return count;
    }

    private long readCount(String what, int number) {
        require(Long.BYTES, what, number);
        long value = block.getLong(at);
        at += Long.BYTES;
        if (value < 0) {
            throw corrupt("%s %d of section HELD is %d", what, number, value);
        }
        return value;
    }

    private String readText(String what, int number) {
        int length = readLength(what, number, 1);
        String text = ModifiedUtf8.decode(bytes, at, length);
        if (text == null) {
            throw corrupt("%s %d of section HELD is not modified UTF-8", what, number);
        }
        at += length;
        return text;
    }

    private int name(int index) {
        return limited(index, paths.names.length, "name");
    }

    private static int limited(int value, int count, String what) {
        if (value < 0 || value >= count) {
            throw corrupt(
                    "section HELD has the %s %s of %d",
                    what, Integer.toUnsignedString(value), count);
        }
        return value;
    }

    /** Returns whether a place stands for a watched object, which is no sample. */
    static boolean isWatched(int place) {
        return (place & FIRST_WATCHED) != 0;
    }
}

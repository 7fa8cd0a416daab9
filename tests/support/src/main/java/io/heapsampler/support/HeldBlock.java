// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.support;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The block of holders, read as {@code native/doc/holders.md} describes it, without a line of the
 * library's decoder. Numbers are those of that page.
 *
 * @param way the way that was taken
 * @param flags of the block
 * @param figures times in µs, memory in bytes, nodes, edges
 * @param reason why no other way was taken
 * @param failure why targets have no holder
 * @param targets in the order of the question
 */
public record HeldBlock(
        int way,
        int flags,
        List<Long> figures,
        String reason,
        String failure,
        List<Target> targets) {

    private static final int FIGURES = 7;
    private static final int WATCHED = 1 << 31;

    /**
     * The holders of an object.
     *
     * @param place of the sample, or its number with the highest bit set
     * @param outcome 0 if it is held
     * @param root kind of root
     * @param rootClass of a static field or a method
     * @param rootName of a static field or a method
     * @param slot of a local
     * @param thread its id; 0 for none
     * @param steps from the root to the object
     */
    public record Target(
            int place,
            int outcome,
            int root,
            String rootClass,
            String rootName,
            int slot,
            long thread,
            List<Step> steps) {

        /** Is this an object that is no sample? */
        public boolean isWatched() {
            return (place & WATCHED) != 0;
        }
    }

    /**
     * A step of a path.
     *
     * @param kind of the step
     * @param flags of the step
     * @param declaring the class of the field
     * @param field its name
     * @param to the class of the object that it leads to
     */
    public record Step(int kind, int flags, String declaring, String field, String to) {}

    /**
     * Reads a block.
     *
     * @param in at its begin; after the call at its end
     * @throws IllegalArgumentException if this is no block
     */
    public static HeldBlock read(ByteBuffer in) {
        in.order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt() != ('H' | 'H' << 8 | 'L' << 16 | 'D' << 24)
                || in.getShort() != 1
                || in.getShort() != 0) {
            throw new IllegalArgumentException("no block of holders");
        }
        int way = in.getInt();
        int flags = in.getInt();
        List<Long> figures = new ArrayList<>(FIGURES);
        for (int i = 0; i < FIGURES; i++) {
            figures.add(in.getLong());
        }
        String reason = text(in);
        String failure = text(in);
        List<String> names = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            names.add(text(in));
        }
        List<Target> targets = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            targets.add(target(in, names));
        }
        return new HeldBlock(way, flags, figures, reason, failure, targets);
    }

    private static Target target(ByteBuffer in, List<String> names) {
        int place = in.getInt();
        int outcome = in.get();
        int root = in.get();
        int count = Short.toUnsignedInt(in.getShort());
        if (outcome != 0) {
            return new Target(place, outcome, root, "", "", 0, 0, List.of());
        }
        String rootClass = names.get(in.getInt());
        String rootName = names.get(in.getInt());
        int slot = in.getInt();
        long thread = in.getLong();
        List<Step> steps = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            steps.add(step(in, names));
        }
        return new Target(place, outcome, root, rootClass, rootName, slot, thread, steps);
    }

    private static Step step(ByteBuffer in, List<String> names) {
        int kind = in.get();
        int flags = in.get();
        in.getShort();
        String declaring = names.get(in.getInt());
        String field = names.get(in.getInt());
        return new Step(kind, flags, declaring, field, names.get(in.getInt()));
    }

    /**
     * Reads a text: bytes, and their number before them. Modified UTF-8 is UTF-8 in all names that
     * tests have.
     */
    public static String text(ByteBuffer in) {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeapSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The paths in the file of a snapshot, read as {@code native/doc/snapshot-format.md} and {@code
 * holders.md} describe it, without a line of the library's decoder.
 */
final class HeldFile {

    private static final int HEADER = 32;
    private static final int NAMES = 3;
    private static final int SITES = 6;
    private static final int LIVE = 8;
    private static final int HELD = 14;
    private static final int SITE_BYTES = 64;
    private static final int LIVE_BYTES = 40;
    private static final int WATCHED = 1 << 31;
    private static final int FIGURES = 7;

    private final Map<Integer, ByteBuffer> sections = new HashMap<>();
    private final Map<Integer, Integer> counts = new HashMap<>();

    private final List<String> classNames;

    private HeldFile(ByteBuffer file) {
        int sectionCount = file.getInt(8);
        int at = HEADER;
        for (int i = 0; i < sectionCount; i++) {
            int tag = file.getInt(at);
            int bytes = Math.toIntExact(file.getLong(at + 8));
            counts.put(tag, file.getInt(at + 4));
            sections.put(tag, file.slice(at + 16, bytes).order(ByteOrder.LITTLE_ENDIAN));
            at += 16 + (bytes + 7) / 8 * 8;
        }
        classNames = names(sections.get(NAMES), counts.get(NAMES));
    }

    /** Returns the paths of a snapshot that keeps them. */
    static List<Path> paths(HeapSnapshot snapshot) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            snapshot.writeTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return paths(bytes.toByteArray());
    }

    /** Returns the paths in a file. */
    static List<Path> paths(byte[] file) {
        return new HeldFile(ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN)).read();
    }

    private List<Path> read() {
        ByteBuffer in = sections.get(HELD);
        if (in == null) {
            throw new IllegalStateException("the file has no section " + HELD);
        }
        expect(in.getInt(), 'H' | 'H' << 8 | 'L' << 16 | 'D' << 24);
        expect(in.getShort(), 1);
        in.position(in.position() + 2 + 4 + 4 + 8 * FIGURES);
        text(in); // the reason
        text(in); // the failure
        List<String> names = names(in, in.getInt());
        List<Path> paths = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            paths.add(path(in, names));
        }
        in.getLong(); // samples that matched
        text(in); // the question
        for (int left = in.getInt(); left > 0; left--) {
            in.getLong(); // a thread
            text(in);
        }
        expect(in.remaining(), 0);
        return paths;
    }

    private Path path(ByteBuffer in, List<String> names) {
        int place = in.getInt();
        var outcome = Path.Outcome.values()[in.get()];
        var root = Path.Root.values()[in.get()];
        int count = in.getShort() & 0xFFFF;
        String owner = "";
        String name = "";
        long thread = 0;
        List<Step> steps = new ArrayList<>();
        if (outcome == Path.Outcome.HELD) {
            owner = names.get(in.getInt());
            name = names.get(in.getInt());
            in.getInt(); // the slot
            thread = in.getLong();
            for (int i = 0; i < count; i++) {
                steps.add(step(in, names));
            }
        }
        boolean isSample = (place & WATCHED) == 0;
        String className = isSample ? className(place) : "";
        long size = isSample ? sections.get(LIVE).getLong(place * LIVE_BYTES + 8) : 0;
        return new Path(className, size, outcome, root, owner, name, thread, steps);
    }

    private static Step step(ByteBuffer in, List<String> names) {
        Step.Kind kind = Step.Kind.values()[in.get()];
        int flags = in.get();
        in.getShort();
        String owner = names.get(in.getInt());
        String field = names.get(in.getInt());
        return new Step(kind, flags, owner, field, names.get(in.getInt()));
    }

    private String className(int place) {
        int site = sections.get(LIVE).getInt(place * LIVE_BYTES);
        return classNames.get(sections.get(SITES).getInt(site * SITE_BYTES + 4));
    }

    private static List<String> names(ByteBuffer in, int count) {
        List<String> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            names.add(text(in));
        }
        return names;
    }

    /** Modified UTF-8 is UTF-8 in all names that these tests have. */
    private static String text(ByteBuffer in) {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void expect(int found, int wanted) {
        if (found != wanted) {
            throw new IllegalStateException("found " + found + ", not " + wanted);
        }
    }
}

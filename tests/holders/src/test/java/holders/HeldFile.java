// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.support.HeldBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
        List<Path> paths = new ArrayList<>();
        for (HeldBlock.Target target : HeldBlock.read(in).targets()) {
            paths.add(path(target));
        }
        in.getLong(); // samples that matched
        HeldBlock.text(in); // the question
        for (int left = in.getInt(); left > 0; left--) {
            in.getLong(); // a thread
            HeldBlock.text(in);
        }
        expect(in.remaining(), 0);
        return paths;
    }

    private Path path(HeldBlock.Target target) {
        List<Step> steps = new ArrayList<>();
        for (HeldBlock.Step each : target.steps()) {
            Step.Kind kind = Step.Kind.values()[each.kind()];
            steps.add(new Step(kind, each.flags(), each.declaring(), each.field(), each.to()));
        }
        int place = target.place();
        boolean isSample = !target.isWatched();
        return new Path(
                isSample ? className(place) : "",
                isSample ? sections.get(LIVE).getLong(place * LIVE_BYTES + 8) : 0,
                Path.Outcome.values()[target.outcome()],
                Path.Root.values()[target.root()],
                target.rootClass(),
                target.rootName(),
                target.thread(),
                steps);
    }

    private String className(int place) {
        int site = sections.get(LIVE).getInt(place * LIVE_BYTES);
        return classNames.get(sections.get(SITES).getInt(site * SITE_BYTES + 4));
    }

    private static List<String> names(ByteBuffer in, int count) {
        List<String> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            names.add(HeldBlock.text(in));
        }
        return names;
    }

    private static void expect(int found, int wanted) {
        if (found != wanted) {
            throw new IllegalStateException("found " + found + ", not " + wanted);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import static io.heapsampler.internal.shared.BlockSections.buffer;
import static io.heapsampler.internal.shared.BlockSections.bytes;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.BlockSections;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes a snapshot of collapsed stacks, so that all that shows snapshots can show them. The last
 * frame of a stack is taken for the class; there are no errors, no lives and no threads. What the
 * block looks like is in {@code native/doc/snapshot-format.md}.
 */
final class TextSnapshot {

    private static final int INFO = 1;
    private static final int NAMES = 3;
    private static final int FRAMES = 4;
    private static final int STACKS = 5;
    private static final int SITES = 6;

    private static final int INFO_ENTRIES = 23;
    private static final int NONE = -1;

    /** How many there were is not known; with fewer, errors would be called rough. */
    private static final int ENOUGH_SAMPLES = 1_000;

    /** The class name of frames without a class. */
    private static final String NO_CLASS = "(no class)";

    private final Map<String, Integer> names = new LinkedHashMap<>();
    private final Map<String, Integer> frames = new LinkedHashMap<>();
    private final ByteArrayOutputStream nameBytes = new ByteArrayOutputStream();
    private final ByteArrayOutputStream frameBytes = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stackBytes = new ByteArrayOutputStream();
    private final ByteArrayOutputStream siteBytes = new ByteArrayOutputStream();

    private TextSnapshot() {
        name("");
    }

    static HeapSnapshot of(Map<String, Long> stacks) {
        TextSnapshot text = new TextSnapshot();
        int number = 0;
        for (Map.Entry<String, Long> entry : stacks.entrySet()) {
            text.add(number, entry.getKey().split(";", -1), entry.getValue());
            number++;
        }
        try {
            return HeapSnapshot.read(new ByteArrayInputStream(text.block(number)));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // From memory: it cannot be.
        }
    }

    private void add(int number, String[] path, long figure) {
        int depth = path.length - 1;
        ByteBuffer stack = buffer(4 + 4 * depth).putInt(depth);
        for (int i = depth - 1; i >= 0; i--) {
            stack.putInt(frame(path[i]));
        }
        stackBytes.writeBytes(bytes(stack));
        ByteBuffer site = buffer(64).putInt(number).putInt(name(className(path[depth])));
        site.putLong(1).putDouble(1).putDouble(0).putDouble((double) figure).putDouble(0);
        siteBytes.writeBytes(bytes(site.putLong(figure).putInt(NONE).putInt(0)));
    }

    /** Without the slashes of the flame sampler, and what async-profiler marks frames with. */
    private static String className(String leaf) {
        return leaf.replaceAll("_\\[[a-z0-9]+]$", "").replace('/', '.');
    }

    /** The number of a frame such as {@code com.acme.Cart.add:17}. */
    private int frame(String text) {
        Integer known = frames.get(text);
        if (known != null) {
            return known;
        }
        String place = text.replaceAll(":-?[0-9]+$", "");
        int line = NONE;
        if (place.length() < text.length()) {
            String digits = text.substring(place.length() + 1);
            line = digits.length() < 9 ? Math.max(Integer.parseInt(digits), NONE) : NONE;
        }
        int dot = place.lastIndexOf('.');
        String owner = dot > 0 ? place.substring(0, dot).replace('/', '.') : NO_CLASS;
        int ownerName = name(owner);
        ByteBuffer frame = buffer(28).putInt(ownerName).putInt(ownerName);
        frame.putInt(name(place.substring(dot + 1))).putInt(0).putInt(0).putInt(line).putInt(0);
        frameBytes.writeBytes(bytes(frame));
        frames.put(text, frames.size());
        return frames.size() - 1;
    }

    private int name(String text) {
        Integer known = names.get(text);
        if (known != null) {
            return known;
        }
        byte[] bytes = modified(text);
        nameBytes.writeBytes(bytes(buffer(4).putInt(bytes.length)));
        nameBytes.writeBytes(bytes);
        names.put(text, names.size());
        return names.size() - 1;
    }

    /** Names outside of the basic plane are rare, and the format has them otherwise: as marks. */
    private static byte[] modified(String text) {
        String basic = text.replaceAll("[\\x{10000}-\\x{10FFFF}\\x00]", "?");
        return basic.getBytes(StandardCharsets.UTF_8);
    }

    private byte[] block(int sites) {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        ByteBuffer info = buffer(INFO_ENTRIES * 8).putLong(now).putLong(now).putLong(0);
        info.putLong(6 * 8, Math.max(sites, ENOUGH_SAMPLES));
        info.putLong(15 * 8, 25);
        return new BlockSections()
                .add(INFO, 1, bytes(info))
                .add(NAMES, names.size(), nameBytes.toByteArray())
                .add(FRAMES, frames.size(), frameBytes.toByteArray())
                .add(STACKS, sites, stackBytes.toByteArray())
                .add(SITES, sites, siteBytes.toByteArray())
                .block();
    }
}

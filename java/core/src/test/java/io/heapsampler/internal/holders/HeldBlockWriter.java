// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the block about holders that the library writes, from paths as text. A path begins with a
 * root, such as {@code static com.acme.Shop.open -> java.util.HashMap}, {@code thread 7 ->
 * java.lang.Thread}, {@code local com.acme.Shop.run 7 -> byte[]}, or {@code root 5 0 -> byte[]}
 * (kind and thread). A step is a field, {@code com.acme.Shop.open -> java.util.HashMap}, an
 * element, {@code [] -> byte[]}, a static field with {@code static} before it, or {@code kind 5
 * com.acme.Shop -> com.acme.Loader}. At the end may be flags: {@code !} dominates, {@code ~} soft,
 * {@code *} repeated, {@code >} some steps after it left out, {@code c} to the class itself.
 */
public final class HeldBlockWriter {

    private static final List<String> FLAGS = List.of("!", "~", "*", ">", "c");

    private final Map<String, Integer> names = new LinkedHashMap<>();
    private final ByteArrayOutputStream targets = new ByteArrayOutputStream();
    private int count;
    private int way = 2;
    private int flags;
    private long[] figures = {42_000, 43_000, 1_200_000, 900_000, 1 << 20, 5_000, 9_000};
    private String reason = "";
    private String failure = "";

    public HeldBlockWriter() {
        name("");
    }

    public HeldBlockWriter way(int number) {
        way = number;
        return this;
    }

    public HeldBlockWriter dominators() {
        flags = 1;
        return this;
    }

    public HeldBlockWriter reason(String text) {
        reason = text;
        return this;
    }

    public HeldBlockWriter failure(String text) {
        failure = text;
        return this;
    }

    public HeldBlockWriter pause(long micros) {
        figures[0] = micros;
        return this;
    }

    private int name(String text) {
        Integer known = names.putIfAbsent(text, names.size());
        return known == null ? names.size() - 1 : known;
    }

    public HeldBlockWriter unresolved(int sample, int outcome) {
        count++;
        put(8, entry -> entry.putInt(sample).put((byte) outcome).put((byte) 0).putShort((short) 0));
        return this;
    }

    public HeldBlockWriter path(int sample, String root, String... steps) {
        count++;
        String[] parts = root.split(" -> ");
        String[] words = parts[0].split(" ");
        boolean isStatic = words[0].equals("static");
        boolean isLocal = words[0].equals("local");
        int kind =
                isStatic
                        ? 1
                        : words[0].equals("thread") ? 2 : isLocal ? 3 : Integer.parseInt(words[1]);
        long thread = isStatic ? 0 : Long.parseLong(words[words.length - 1]);
        String owner = isStatic || isLocal ? owner(words[1]) : "";
        String member = isStatic || isLocal ? member(words[1]) : "";
        put(
                28,
                entry ->
                        entry.putInt(sample)
                                .put((byte) 0)
                                .put((byte) kind)
                                .putShort((short) (steps.length + 1))
                                .putInt(name(owner))
                                .putInt(name(member))
                                .putInt(isLocal ? 3 : 0)
                                .putLong(thread));
        String to = step(isStatic ? root : "kind 0 -> " + parts[1], "");
        for (String step : steps) {
            to = step(step, to);
        }
        return this;
    }

    /** Adds a step; returns the class to which it leads. */
    private String step(String text, String object) {
        String[] parts = text.split(" -> ");
        String[] words = parts[0].split(" ");
        String[] target = parts[1].split(" ");
        int bits = 0;
        for (int i = 0; i < FLAGS.size() && target.length > 1; i++) {
            bits |= target[1].contains(FLAGS.get(i)) ? 1 << i : 0;
        }
        byte flag = (byte) bits;
        switch (words[0]) {
            case "[]" -> put(3, flag, object, "", target[0]);
            case "static" -> put(2, flag, owner(words[1]), member(words[1]), target[0]);
            case "kind" ->
                    put(
                            Integer.parseInt(words[1]),
                            flag,
                            words.length > 2 ? words[2] : "",
                            "",
                            target[0]);
            default -> put(1, flag, owner(words[0]), member(words[0]), target[0]);
        }
        return target[0];
    }

    private void put(int kind, byte flag, String from, String field, String to) {
        put(
                16,
                entry ->
                        entry.put((byte) kind)
                                .put(flag)
                                .putShort((short) 0)
                                .putInt(name(from))
                                .putInt(name(field))
                                .putInt(name(to)));
    }

    private static String owner(String member) {
        return member.substring(0, member.lastIndexOf('.'));
    }

    private static String member(String member) {
        return member.substring(member.lastIndexOf('.') + 1);
    }

    private interface Filling {
        ByteBuffer fill(ByteBuffer entry);
    }

    private void put(int bytes, Filling filling) {
        put(targets, bytes, filling);
    }

    private static void put(ByteArrayOutputStream to, int bytes, Filling filling) {
        to.writeBytes(
                filling.fill(ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN)).array());
    }

    public byte[] write() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        put(out, 8, entry -> entry.put(new byte[] {'H', 'H', 'L', 'D', 1, 0, 0, 0}));
        put(out, 8, entry -> entry.putInt(way).putInt(flags));
        for (long figure : figures) {
            put(out, 8, entry -> entry.putLong(figure));
        }
        text(out, reason);
        text(out, failure);
        put(out, 4, entry -> entry.putInt(names.size()));
        names.keySet().forEach(name -> text(out, name));
        put(out, 4, entry -> entry.putInt(count));
        out.writeBytes(targets.toByteArray());
        return out.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        put(out, 4, entry -> entry.putInt(bytes.length));
        out.writeBytes(bytes);
    }
}

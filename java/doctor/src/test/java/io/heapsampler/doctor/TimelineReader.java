// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/** Reads the format of {@link TimelineWriter}. */
public final class TimelineReader {

    private final BufferedReader in;
    private final String name;
    private int lineNumber;

    private @Nullable StringTokenizer settings;
    private long complete = Long.MIN_VALUE;
    private final List<String> texts = new ArrayList<>();
    private final Map<String, String> flags = new HashMap<>();
    private final List<Tick> ticks = new ArrayList<>();
    private final List<GcEvent> collections = new ArrayList<>();
    private final List<JvmEvent> events = new ArrayList<>();
    private final long[] lastTick = new long[Tick.FIELDS];
    private final long[] lastCollection = new long[10];
    private long lastEvent;

    public TimelineReader(BufferedReader in, String name) {
        this.in = in;
        this.name = name;
    }

    public Timeline read() throws IOException {
        String header = in.readLine();
        lineNumber = 1;
        if (!TimelineWriter.HEADER.equals(header)) {
            throw new IOException(
                    "Cannot read "
                            + name
                            + ": it does not begin with \""
                            + TimelineWriter.HEADER
                            + "\". It is no timeline, or one of a later version: read it with the"
                            + " version that wrote it.");
        }
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lineNumber++;
                line(line);
            }
            return timeline();
        } catch (IllegalArgumentException | NoSuchElementException | IndexOutOfBoundsException e) {
            throw new IOException(
                    "Cannot read "
                            + name
                            + ": line "
                            + lineNumber
                            + " is damaged. Take a whole copy of the file.",
                    e);
        }
    }

    private Timeline timeline() {
        if (settings == null) {
            throw new NoSuchElementException("settings");
        }
        StringTokenizer words = settings;
        JvmSettings all =
                new JvmSettings(
                        Integer.parseInt(words.nextToken()),
                        collector(words.nextToken()),
                        number(words),
                        number(words),
                        number(words),
                        number(words),
                        number(words),
                        number(words),
                        flags);
        return new Timeline(all, ticks, collections, events, complete, 0);
    }

    private static GarbageCollector collector(String name) {
        return GarbageCollector.valueOf(name);
    }

    private void line(String line) {
        if (line.startsWith("s ")) {
            texts.add(unescape(line.substring(2)));
            return;
        }
        StringTokenizer words = new StringTokenizer(line, " ");
        String kind = words.nextToken();
        switch (kind) {
            case "settings" -> settings = words;
            case "complete" -> complete = number(words);
            case "flag" -> flags.put(text(words), text(words));
            case "unseen" -> number(words); // Of older files: collections before the first tick.
            case "t" -> {
                add(words, lastTick);
                ticks.add(Tick.of(lastTick));
            }
            case "c" -> collections.add(collection(words));
            case "e" -> events.add(event(words));
            default -> throw new IllegalArgumentException(kind);
        }
    }

    private GcEvent collection(StringTokenizer words) {
        CollectionKind kind = CollectionKind.valueOf(words.nextToken());
        String bean = text(words);
        String action = text(words);
        String cause = text(words);
        add(words, lastCollection);
        long[] it = lastCollection;
        return new GcEvent(
                it[0],
                it[1] / TimelineWriter.MICROS,
                kind,
                bean,
                action,
                cause,
                it[2],
                it[3],
                it[4],
                it[5],
                it[6],
                it[7],
                it[9]);
    }

    private JvmEvent event(StringTokenizer words) {
        String type = text(words);
        lastEvent += number(words);
        double duration = millis(words);
        Map<String, String> values = new HashMap<>();
        for (long left = number(words); left > 0; left--) {
            values.put(text(words), text(words));
        }
        List<String> stack = new ArrayList<>();
        while (words.hasMoreTokens()) {
            stack.add(text(words));
        }
        return new JvmEvent(type, lastEvent, duration, values, stack);
    }

    private static void add(StringTokenizer words, long[] to) {
        for (int i = 0; i < to.length && words.hasMoreTokens(); i++) {
            to[i] += number(words);
        }
    }

    private static long number(StringTokenizer words) {
        return Long.parseLong(words.nextToken());
    }

    private static double millis(StringTokenizer words) {
        return number(words) / TimelineWriter.MICROS;
    }

    private String text(StringTokenizer words) {
        return texts.get(Integer.parseInt(words.nextToken()));
    }

    private static String unescape(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                c = text.charAt(++i);
                c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
            }
            plain.append(c);
        }
        return plain.toString();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.internal.shared.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/**
 * A JSON document in UTF-8 that is written while it is made, so that about {@link #CHUNK}
 * characters are in memory. {@link #finish()} writes the rest. For one thread.
 */
final class Json extends JsonText {

    private static final int CHUNK = 1 << 13;

    private final Writer to;

    Json(OutputStream out) {
        this.to = new OutputStreamWriter(out, StandardCharsets.UTF_8);
    }

    /** Returns the number of a key; the first one is 0, and a new key has the next. */
    static <K> int number(Map<K, Integer> numbers, K key) {
        return numbers.computeIfAbsent(key, unused -> numbers.size());
    }

    /** Writes the text once it is large. Call it after each entry of a long array. */
    void drain() throws IOException {
        drainTo(to, CHUNK);
    }

    void finish() throws IOException {
        drainTo(to, 0);
        to.flush();
    }

    /** Writes an array of objects. */
    <T> void objects(String name, Iterable<T> items, Consumer<T> fields) throws IOException {
        array(
                name,
                items,
                item -> {
                    begin('{');
                    fields.accept(item);
                    end('}');
                });
    }

    /** Writes an array of numbers. */
    <T> void column(String name, Collection<T> items, ToLongFunction<T> number) throws IOException {
        array(name, items, item -> value(number.applyAsLong(item)));
    }

    /** Writes an array of strings. */
    <T> void texts(String name, Collection<T> items, Function<T, String> text) throws IOException {
        array(name, items, item -> value(text.apply(item)));
    }

    private <T> void array(String name, Iterable<T> items, Consumer<T> value) throws IOException {
        name(name).begin('[');
        for (T item : items) {
            value.accept(item);
            drain();
        }
        end(']');
    }

    void longs(String name, LongStream values) {
        name(name).begin('[');
        values.forEach(this::value);
        end(']');
    }

    /** Writes an entry only if it is true. */
    void flag(String name, boolean value) {
        if (value) {
            name(name).value(true);
        }
    }

    /**
     * Writes a figure: from 1000 on as a whole number, below with three decimals. The omitted
     * digits are far below the error of any estimate, but would be half of the document.
     */
    void figure(double value) {
        double shown = value;
        if (Math.abs(value) < 1000) {
            shown = Math.rint(value * 1000) / 1000;
        } else if (Math.abs(value) < 1e15) {
            shown = Math.round(value);
        }
        if (shown == Math.rint(shown) && Math.abs(shown) < 1e15) {
            value((long) shown);
        } else {
            raw(Double.isFinite(shown) ? exact(shown) : "null");
        }
    }

    void figure(String name, double value) {
        name(name);
        figure(value);
    }

    /** Writes whole numbers (scale 1), or numbers with one decimal (scale 10). */
    void figures(String name, double[] values, int scale) throws IOException {
        name(name).begin('[');
        for (double value : values) {
            figure((double) Math.round(value * scale) / scale);
            drain();
        }
        end(']');
    }

    /** Writes the entries that limit what the figures of a snapshot mean. */
    void notesAndDrops(HeapSnapshot snapshot) throws IOException {
        objects(
                "notes",
                snapshot.notes(),
                (Note note) -> name("id").value(note.id()).name("text").value(note.text()));
        name("dropped").begin('{');
        for (Map.Entry<DropCause, Long> each : snapshot.dropped().entrySet()) {
            name(each.getKey().name()).value(each.getValue());
        }
        end('}');
    }
}

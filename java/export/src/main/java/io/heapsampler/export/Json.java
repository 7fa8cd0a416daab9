// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;

/** What the exporters that write JSON share. */
final class Json {

    private Json() {}

    /** A writer of compact JSON in UTF-8. Characters that HTML gives a meaning are escaped. */
    static JsonWriter writer(OutputStream out) {
        JsonWriter json =
                new JsonWriter(
                        new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8)));
        json.setHtmlSafe(true);
        return json;
    }

    /** Writes an entry only if it is true. */
    static void flag(JsonWriter json, String name, boolean value) throws IOException {
        if (value) {
            json.name(name).value(true);
        }
    }

    static void figure(JsonWriter json, String name, double value) throws IOException {
        json.name(name);
        figure(json, value);
    }

    /**
     * From 1000 on as a whole number, below to three digits behind the point: the omitted digits
     * are far below the error of any estimate, but would be half of the document.
     */
    static void figure(JsonWriter json, double value) throws IOException {
        double thousandths = Math.abs(value) < 1000 ? Math.rint(value * 1000) : 0;
        if (thousandths % 1000 != 0) {
            json.value(thousandths / 1000);
        } else if (Math.abs(value) < 1e15) {
            json.value(Math.round(value));
        } else {
            json.value(value);
        }
    }

    static void longs(JsonWriter json, String name, long[] values) throws IOException {
        json.name(name).beginArray();
        for (long value : values) {
            json.value(value);
        }
        json.endArray();
    }
}

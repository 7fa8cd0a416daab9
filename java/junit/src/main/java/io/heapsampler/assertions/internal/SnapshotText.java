// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.List;
import java.util.Locale;

/** A snapshot as text for other tools: stacks that flame graphs are drawn from, and JSON. */
public final class SnapshotText {

    private SnapshotText() {}

    /** A line per site: the frames from the root on, the class, the allocated bytes. */
    public static String collapsed(HeapSnapshot snapshot) {
        StringBuilder text = new StringBuilder();
        for (HeapSite site : snapshot.topByAllocated(Integer.MAX_VALUE)) {
            for (int i = site.stack().size() - 1; i >= 0; i--) {
                text.append(site.stack().get(i).className())
                        .append('.')
                        .append(site.stack().get(i).methodName())
                        .append(';');
            }
            text.append(site.className())
                    .append(' ')
                    .append(Math.round(site.allocated().bytes().value()))
                    .append('\n');
        }
        return text.toString();
    }

    /** All sites with their figures, and what the snapshot says about itself. */
    public static String json(HeapSnapshot snapshot) {
        StringBuilder text = new StringBuilder("{\n");
        text.append("  \"takenAt\": ").append(string(snapshot.takenAt().toString()));
        text.append(",\n  \"interval\": ").append(snapshot.interval());
        text.append(",\n  \"collector\": ").append(string(snapshot.collector().toString()));
        text.append(",\n  \"notes\": ");
        strings(text, snapshot.notes());
        text.append(",\n  \"sites\": [");
        String separator = "\n    ";
        for (HeapSite site : snapshot.topByAllocated(Integer.MAX_VALUE)) {
            text.append(separator);
            site(text, site);
            separator = ",\n    ";
        }
        return text.append("\n  ]\n}\n").toString();
    }

    private static void site(StringBuilder text, HeapSite site) {
        text.append("{\"class\": ").append(string(site.className()));
        text.append(
                String.format(
                        Locale.ROOT,
                        ", \"bytes\": %.0f, \"error\": %.0f, \"objects\": %.0f, \"samples\": %d,"
                                + " \"liveBytes\": %.0f, \"unconfirmedBytes\": %.0f, \"stack\": ",
                        site.allocated().bytes().value(),
                        site.allocated().bytes().standardError(),
                        site.allocated().objects().value(),
                        site.allocated().samples(),
                        site.live().bytes().value(),
                        site.unconfirmed().bytes().value()));
        strings(text, site.stack().stream().map(Object::toString).toList());
        text.append('}');
    }

    private static void strings(StringBuilder text, List<String> values) {
        text.append('[');
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(string(values.get(i)));
        }
        text.append(']');
    }

    static String string(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }
}

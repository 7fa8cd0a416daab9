// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapSite;
import io.heapsampler.HeldBy;
import io.heapsampler.Holder;
import io.heapsampler.HolderRoot;
import io.heapsampler.Note;
import io.heapsampler.Unresolved;
import java.util.List;
import java.util.Map;

/**
 * Writes an answer about holders as JSON: a tree of objects, as {@link HeldBy#holders()} is. Has
 * names and figures, as the answer does; entries that are false or empty are left out.
 */
public final class HeldByJson {

    private static final String SCHEMA = "urn:heapsampler:heldby:1";

    private HeldByJson() {}

    /** Returns a document of one line. */
    public static String of(HeldBy answer) {
        JsonText json = new JsonText();
        write(answer, json);
        return json + "\n";
    }

    /** Writes an object, such as into a larger document. */
    public static void write(HeldBy answer, JsonText json) {
        json.begin('{').name("schema").value(SCHEMA);
        json.name("takenAt").value(answer.snapshot().takenAt().toString());
        json.name("way").value(answer.way().name());
        json.name("longestPauseMicros").value(answer.longestPause().toNanos() / 1_000);
        json.name("timeMicros").value(answer.time().toNanos() / 1_000);
        writeAmount(json, "total", answer.total());
        json.name("unresolved").begin('{');
        for (Map.Entry<Unresolved, HeapAmount> each : answer.unresolved().entrySet()) {
            if (each.getValue().samples() > 0) {
                writeAmount(json, each.getKey().name(), each.getValue());
            }
        }
        json.end('}').name("notes").begin('[');
        for (Note note : answer.notes()) {
            json.begin('{').name("id").value(note.id()).name("text").value(note.text()).end('}');
        }
        json.end(']');
        writeHolders(json, "holders", answer.holders());
        json.end('}');
    }

    private static void writeHolders(JsonText json, String name, List<Holder> holders) {
        json.name(name).begin('[');
        holders.forEach(each -> writeHolder(json, each));
        json.end(']');
    }

    private static void writeHolder(JsonText json, Holder holder) {
        json.begin('{');
        holder.root().map(HolderRoot::name).ifPresent(kind -> json.name("root").value(kind));
        json.name("text").value(holder.text());
        HeapSite site = holder.site().orElse(null);
        if (site != null) {
            json.name("class").value(site.className());
            writeTexts(
                    json, "stack", site.stack().stream().map(frame -> frame.toString()).toList());
        } else {
            writeTexts(json, "steps", holder.steps());
        }
        if (holder.isSoft()) {
            json.name("soft").value(true);
        }
        if (holder.isSuspect()) {
            json.name("suspect").value(true);
        }
        writeAmount(json, "held", holder.held());
        holder.exclusive().ifPresent(amount -> writeAmount(json, "exclusive", amount));
        List<Holder> children = holder.children();
        if (!children.isEmpty()) {
            writeHolders(json, "children", children);
        }
        json.end('}');
    }

    private static void writeTexts(JsonText json, String name, List<String> texts) {
        json.name(name).begin('[');
        texts.forEach(json::value);
        json.end(']');
    }

    private static void writeAmount(JsonText json, String name, HeapAmount amount) {
        json.name(name).begin('{');
        json.name("samples").value(amount.samples());
        writeEstimate(json, "bytes", amount.bytes());
        writeEstimate(json, "objects", amount.objects());
        json.end('}');
    }

    private static void writeEstimate(JsonText json, String name, Estimate estimate) {
        json.name(name).begin('{').name("value").value(estimate.value());
        json.name("error").value(estimate.standardError());
        json.name("low").value(estimate.low()).name("high").value(estimate.high());
        if (estimate.hasTooFewSamples()) {
            json.name("tooFewSamples").value(true);
        }
        json.end('}');
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.JsonText;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the JSON documents of several commands share. java/agent/README.md describes the
 * documents. Within a schema's number, entries may be added; a change of existing ones takes a new
 * number.
 */
final class CliJson {

    private CliJson() {}

    /** Begins a document, such as {@code urn:heapsampler:top:1}. */
    static JsonText begin(String schema) {
        return new JsonText().begin('{').name("schema").value("urn:heapsampler:" + schema);
    }

    /** Writes when and how a snapshot was taken, with the names that the JSON format uses. */
    static void snapshot(JsonText json, String name, HeapSnapshot snapshot, @Nullable Path file) {
        json.name(name).begin('{');
        if (file != null) {
            json.name("file").value(file.toString());
        }
        json.name("startedAt").value(snapshot.startedAt().toString());
        json.name("takenAt").value(snapshot.takenAt().toString());
        json.name("sampledMillis").value(snapshot.duration().toMillis());
        json.name("interval").value(snapshot.interval());
        json.name("strategy").value(snapshot.strategy().toString());
        json.name("sites").value(snapshot.sites().size());
        json.name("collections").value(snapshot.collections());
        json.name("afterGc").value(snapshot.isAfterGc());
        json.name("collector").value(snapshot.collector().name());
        json.name("notes").begin('[');
        snapshot.notes().forEach(json::value);
        json.end(']').end('}');
    }

    /** Writes a figure with its error and its 95 % interval; null for no figure. */
    static void estimate(JsonText json, String name, @Nullable Estimate estimate) {
        json.name(name);
        if (estimate == null) {
            json.nothing();
            return;
        }
        json.begin('{').name("value").value(estimate.value());
        json.name("error").value(estimate.standardError());
        json.name("low").value(estimate.low()).name("high").value(estimate.high());
        json.name("samples").value(estimate.samples());
        json.name("tooFewSamples").value(estimate.hasTooFewSamples()).end('}');
    }

    /** Writes the innermost frames of a site and the number of the others. */
    static void site(JsonText json, String className, List<HeapFrame> stack, int depth) {
        json.name("class").value(className).name("stack").begin('[');
        stack.stream().limit(depth).forEach(frame -> json.value(frame.toString()));
        json.end(']').name("moreFrames").value(Math.max(stack.size() - depth, 0));
    }
}

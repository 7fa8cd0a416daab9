// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What limits the figures of a snapshot, as a message; empty if nothing does. */
final class Soundness {

    /** All but what was rightly not counted. */
    static final Set<DropCause> HARMFUL =
            EnumSet.complementOf(EnumSet.of(DropCause.PHANTOM, DropCause.OWN, DropCause.CAPPED));

    private Soundness() {}

    static String noCollection(HeapSnapshot snapshot) {
        return snapshot.isAfterGc()
                ? ""
                : "The snapshot was not taken after a collection, so what is alive is as of an"
                        + " earlier one. What helps: snapshot(SnapshotOptions.afterGc()), with a"
                        + " collector that collects (this is "
                        + snapshot.collector()
                        + ").";
    }

    static String drops(HeapSnapshot snapshot, Set<DropCause> causes) {
        List<String> found = new ArrayList<>();
        for (DropCause cause : causes) {
            long count = snapshot.dropped().getOrDefault(cause, 0L);
            if (count > 0) {
                found.add(cause + " " + Texts.samples(count));
            }
        }
        return found.isEmpty()
                ? ""
                : "Samples were dropped, folded or shortened: "
                        + String.join(", ", found)
                        + ". What helps: see DropCause, which names the option of SamplerOptions to"
                        + " raise.";
    }

    static String notes(HeapSnapshot snapshot, String... expected) {
        List<String> others =
                snapshot.notes().stream()
                        .filter(note -> Arrays.stream(expected).noneMatch(note::contains))
                        .toList();
        return others.isEmpty()
                ? ""
                : "The snapshot has notes:\n  "
                        + String.join("\n  ", others)
                        + "\nWhat helps: do as they say, or expect them with"
                        + " hasNoNotesExcept(\"part of a note\").";
    }
}

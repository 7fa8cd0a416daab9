// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.DropCause;
import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What limits the figures of a snapshot, as a message; empty if nothing does. */
final class Soundness {

    private Soundness() {}

    static String noCollection(HeapSnapshot snapshot) {
        return snapshot.isAfterGc()
                ? ""
                : """
                The snapshot was not taken after a collection, so what is alive is as of an \
                earlier one. What helps: snapshot(SnapshotOptions.afterGc()), with a collector \
                that collects (this is %s).\
                """
                        .formatted(snapshot.collector());
    }

    /** Returns the causes that affect figures of a kind. */
    static Set<DropCause> affecting(Collection<DropCause.Figure> figures) {
        requireAny(figures);
        Set<DropCause> causes = EnumSet.allOf(DropCause.class);
        causes.removeIf(cause -> figures.stream().noneMatch(cause::affects));
        return causes;
    }

    private static void requireAny(Collection<?> named) {
        if (named.isEmpty()) {
            throw new IllegalArgumentException("name one or more, or call hasNoDrops()");
        }
    }

    static String drops(HeapSnapshot snapshot, Collection<DropCause> causes) {
        requireAny(causes);
        List<String> found = new ArrayList<>();
        for (DropCause cause : causes) {
            long count = snapshot.dropped().getOrDefault(cause, 0L);
            if (count > 0) {
                found.add(
                        "\n  "
                                + cause
                                + " "
                                + Texts.samples(count)
                                + ". What helps: "
                                + cause.help()
                                + ".");
            }
        }
        return found.isEmpty()
                ? ""
                : "Samples were dropped, folded or shortened:" + String.join("", found);
    }

    /** Refuses a part of a text, which would match no id. */
    static void requireIds(String... ids) {
        for (String id : ids) {
            if (!id.matches("[a-z0-9-]+")) {
                throw new IllegalArgumentException(
                        "not the id of a note: \"" + id + "\"; Note.id() returns it");
            }
        }
    }

    static String notes(HeapSnapshot snapshot, String... expected) {
        List<String> others =
                snapshot.notes().stream()
                        .filter(note -> !Arrays.asList(expected).contains(note.id()))
                        .map(note -> note.id() + ": " + note)
                        .toList();
        return others.isEmpty()
                ? ""
                : """
                The snapshot has notes:
                  %s
                What helps: do as they say, or expect them with hasNoNotesExcept("id").\
                """
                        .formatted(String.join("\n  ", others));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.holders.HeldPaths;
import io.heapsampler.internal.shared.ByteText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The notes of an answer about holders: its limits, and what to do about them. */
final class HeldByNotes {

    /** A larger share without a holder is worth a note. */
    private static final double LARGE = 0.05;

    private static final int SHORT_STOPS = 3;

    private HeldByNotes() {}

    static List<Note> of(HeldPaths paths, HeapAmount total, Map<Unresolved, HeapAmount> missing) {
        List<Note> notes = new ArrayList<>();
        int samples = paths.samples();
        if (samples == 0) {
            notes.add(
                    Note.of(
                            "holders-nothing-live",
                            "The snapshot has no live sample of "
                                    + (paths.question().isEmpty() ? "these" : paths.question())
                                    + ": the objects have died, were never sampled, or no"
                                    + " collection has confirmed them yet. Take the snapshot with"
                                    + " SnapshotOptions.afterGc(), or select other sites."));
        }
        if (paths.matching() > samples) {
            notes.add(
                    Note.of(
                            "holders-subsampled",
                            ByteText.number(samples)
                                    + " of "
                                    + ByteText.number((double) paths.matching())
                                    + " live samples were chosen at random, and each stands for"
                                    + " more. Estimates stay unbiased. For smaller errors raise"
                                    + " maxSamples()."));
        }
        if (paths.way() == SHORT_STOPS) {
            notes.add(
                    Note.of(
                            "holders-moments",
                            "The references of a path were seen in different stops of the"
                                    + " application. A reference that moved meanwhile can be"
                                    + " missing, so a path of objects that live shortly can be"
                                    + " wrong. Paths of a leak do not change."));
        }
        if (!paths.reason().isEmpty()) {
            notes.add(Note.of("holders-way", way(paths) + paths.reason() + "."));
        }
        double all = total.bytes().value();
        missing.forEach(
                (cause, amount) -> {
                    if (amount.bytes().value() > LARGE * all) {
                        double share = amount.bytes().value() / all;
                        notes.add(unresolved(cause, share, paths.failure()));
                    }
                });
        return List.copyOf(notes);
    }

    private static String way(HeldPaths paths) {
        return switch (paths.way()) {
            case 0 -> "The heap was not walked: ";
            case 1 -> "The heap was walked in one stop of the application. Other ways: ";
            case 2 -> "The heap was walked in a child process. Other ways: ";
            default -> "The heap was walked in short stops of the application. Other ways: ";
        };
    }

    private static Note unresolved(Unresolved cause, double share, String failure) {
        boolean hasFailed =
                cause == Unresolved.NOT_POSSIBLE
                        || cause == Unresolved.TIME
                        || cause == Unresolved.MEMORY;
        String id = "holders-unresolved-" + cause.name().toLowerCase(Locale.ROOT);
        return Note.of(
                id.replace('_', '-'),
                Math.round(100 * share)
                        + " % of the live bytes have no known holder: "
                        + (hasFailed && !failure.isEmpty() ? failure + "." : why(cause)));
    }

    private static String why(Unresolved cause) {
        return switch (cause) {
            case PAUSE -> "a pause would have become too long. Raise maxPause().";
            case TIME -> "the time was over. Raise maxTime(), or lower maxSamples().";
            case MEMORY ->
                    "there was not enough memory for the search. Raise maxMemory(), or give the"
                            + " process more memory.";
            case LARGE_ARRAY ->
                    "an array is too large to follow its elements within a pause. Raise"
                            + " maxPause().";
            case DIED ->
                    "the objects died after the snapshot. Search again with a snapshot after a"
                            + " collection.";
            case ONLY_WEAK ->
                    "the JVM showed no strong or soft reference to the objects. The next collection"
                            + " frees them, unless a linked call site or HeapSampler itself holds"
                            + " them.";
            case NOT_POSSIBLE ->
                    "there was no way to walk the heap; the note holders-way has the reason.";
        };
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.Note;
import io.heapsampler.Unresolved;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The part of a failed assertion's message that says which references hold the objects. It searches
 * when it is called, so call it after the verdict, and while the objects are still alive. It never
 * throws: where nothing is found, one line says why. Safe for use by many threads.
 */
public final class HoldersText {

    /** The most lines for each site that the message shows. */
    public static final int LINES_PER_SITE = 12;

    /** The longest time for which an assertion searches. */
    static final Duration LONGEST = Duration.ofSeconds(2);

    /** The longest stop of the JVM, where no child process can be made. */
    static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    /** No heap is walked in a stop that is as short as this, so a child is the only way. */
    private static final Duration NO_PAUSE = Duration.ofNanos(1_000);

    private static final String TITLE = "Held by: ";
    private static final String UNKNOWN = TITLE + "not known, because ";
    private static final int LONGEST_TEXT = 4_000;
    private static final int LONGEST_LINE = 240;
    private static final String CUT = "\n  [cut]";

    private HoldersText() {}

    /**
     * Searches the holders of the live objects of some sites, in a child process where possible.
     *
     * @param snapshot taken in this process
     * @param sites sites of that snapshot
     * @param shown how many sites the message shows
     * @return the lines, without a line feed at the end; empty if no site is shown
     */
    public static String of(HeapSnapshot snapshot, Collection<HeapSite> sites, int shown) {
        if (shown == 0) {
            return "";
        }
        if (sites.isEmpty()) {
            return UNKNOWN + "none of these objects was recorded.";
        }
        try {
            return of(search(snapshot, sites), LINES_PER_SITE * shown);
        } catch (Throwable e) { // the assertion has failed, and its message comes first
            return shortened(UNKNOWN + "the search failed: " + PrintableText.of(String.valueOf(e)));
        }
    }

    private static HeldBy search(HeapSnapshot snapshot, Collection<HeapSite> sites) {
        long begin = System.nanoTime();
        HeldByOptions options = HeldByOptions.ofSites(sites).maxTime(LONGEST);
        HeldBy held = snapshot.heldBy(options.maxPause(NO_PAUSE));
        Duration left = LONGEST.minusNanos(System.nanoTime() - begin);
        boolean isInVain = held.way() == HeldBy.Way.NONE && held.total().samples() > 0;
        return isInVain && left.compareTo(LONGEST_PAUSE) > 0
                ? snapshot.heldBy(options.maxTime(left).maxPause(LONGEST_PAUSE))
                : held;
    }

    /** Draws an answer in at most so many lines, or says in one why there is none. */
    static String of(HeldBy held, int lines) {
        if (held.holders().isEmpty()) {
            return shortened(UNKNOWN + why(held));
        }
        List<String> drawn = held.toText(lines).lines().map(HoldersText::shortened).toList();
        String text = TITLE + String.join("\n  ", drawn);
        return text.length() <= LONGEST_TEXT
                ? text
                : text.substring(0, LONGEST_TEXT - CUT.length()) + CUT;
    }

    private static String why(HeldBy held) {
        Optional<String> way =
                held.notes().stream()
                        .filter(note -> note.id().equals("holders-way"))
                        .map(Note::text)
                        .findFirst();
        if (held.way() == HeldBy.Way.NONE && way.isPresent()) {
            return "there was no way. " + way.get();
        }
        return Arrays.stream(Unresolved.values())
                .filter(cause -> samples(held, cause) > 0)
                .max(Comparator.comparingLong(cause -> samples(held, cause)))
                .map(cause -> words(cause) + " (" + cause + ").")
                .orElse("none of them is alive any more.");
    }

    private static long samples(HeldBy held, Unresolved cause) {
        return Objects.requireNonNull(held.unresolved().get(cause)).samples();
    }

    private static String words(Unresolved cause) {
        return switch (cause) {
            case PAUSE -> "the JVM would have stopped for more than 500 ms";
            case TIME -> "the search takes more than 2 s";
            case MEMORY -> "there is too little memory for the search";
            case LARGE_ARRAY -> "an array is too large to follow its elements within a pause";
            case DIED -> "they have died since they were counted";
            case ONLY_WEAK -> "no strong or soft reference leads to them";
            case NOT_POSSIBLE -> "this JVM offers no way to them";
        };
    }

    private static String shortened(String line) {
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE - 3) + "...";
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.Note;
import io.heapsampler.Unresolved;
import io.heapsampler.internal.FacadeAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The part of a failed assertion's message that says which references hold the objects. It searches
 * when it is called, so call it after the verdict, and while the objects are still alive. It never
 * throws: where nothing is found, one line says why. Safe for use by many threads.
 */
public final class HoldersText {

    /** The most lines for each site that the message shows. */
    public static final int LINES_PER_SITE = 12;

    /** The system property for the longest time of a search in milliseconds; 0: none is made. */
    public static final String PROPERTY = "heapsampler.holders.millis";

    private static final int DEFAULT_MILLIS = 2_000;

    /** Where a child process found nothing. */
    private static final Set<HeldBy.Way> IN_PROCESS =
            EnumSet.of(HeldBy.Way.ONE_STOP, HeldBy.Way.PASSES);

    /** The longest stop of the JVM in this process. */
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private static final String TITLE = "Held by: ";
    private static final String UNKNOWN = TITLE + "not known, because ";
    private static final int LONGEST_TEXT = 4_000;
    private static final int LONGEST_LINE = 240;
    private static final String HARNESS_HOLDS =
            "JUnit, which holds the test's instance and its arguments while the test runs";

    private static final List<String> HARNESS =
            List.of("org.junit.", "io.heapsampler.junit.", "io.heapsampler.assertions.");

    private static final String LOCAL = "local of ";

    /** A root: what comes before its text, and the text. */
    private static final Pattern ROOT = Pattern.compile("([├╰]─ [^:]*: )(.*)");

    /** A reference below a root, of any number in a row or the first of several beside another. */
    private static final Pattern BELOW =
            Pattern.compile("(?:│ {2}| {3})(?:↓ | {2}… |[├╰]─ [^:]*: )(.*)");

    /** A field or a local, and the class that has it. Collections and arrays are none. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "(?:static field |outer instance of |captured by a lambda of |local of"
                            + " |\\S+, captured by )?(\\S+\\.\\S+)(?: in thread .*| \\(.*\\))?");

    private static final String CUT = "\n  [cut]";

    private HoldersText() {}

    /** Are holders searched for messages? Not if {@link #PROPERTY} is 0. */
    public static boolean isOn() {
        return Integer.getInteger(PROPERTY, DEFAULT_MILLIS) > 0;
    }

    /**
     * Searches the holders of the live objects of some sites: in one stop, which is the fastest way
     * where the heap is small, or else in a child process, or else in several stops.
     *
     * @param snapshot whose live objects they are
     * @param sites some sites, of any snapshot
     * @param shown how many sites the message shows
     * @return the lines, without a line feed at the end; empty if no site is shown, or if the
     *     snapshot is of another process
     */
    public static String of(HeapSnapshot snapshot, Collection<HeapSite> sites, int shown) {
        int millis = Integer.getInteger(PROPERTY, DEFAULT_MILLIS);
        if (shown == 0 || millis <= 0 || !FacadeAccess.isOfThisProcess(snapshot)) {
            return "";
        }
        if (sites.isEmpty()) {
            return UNKNOWN + "none of these objects was recorded.";
        }
        try {
            return draw(search(snapshot, sites, millis), LINES_PER_SITE * shown);
        } catch (Throwable e) { // the assertion has failed, and its message comes first
            return shortened(UNKNOWN + "the search failed: " + PrintableText.of(String.valueOf(e)));
        }
    }

    private static HeldBy search(HeapSnapshot snapshot, Collection<HeapSite> sites, int millis) {
        return new Search<HeldBy>(
                        snapshot::heldBy,
                        HoldersText::isWorthAnother,
                        (first, second) -> second.way() != HeldBy.Way.NONE)
                .run(HeldByOptions.ofSites(sites), millis);
    }

    /**
     * How a search is made: by the way that the engine chooses, and in this process where a child
     * found less than that may find.
     *
     * @param once searches within limits
     * @param isWorthAnother could a search in this process find more than this answer has?
     * @param isBetter is the second answer better than the first?
     */
    record Search<T>(
            Function<HeldByOptions, T> once,
            Predicate<T> isWorthAnother,
            BiPredicate<T, T> isBetter) {

        /** Searches for as long as {@link #PROPERTY} says; by default where that is off. */
        T run(HeldByOptions options) {
            int millis = Integer.getInteger(PROPERTY, DEFAULT_MILLIS);
            return run(options, millis <= 0 ? DEFAULT_MILLIS : millis);
        }

        T run(HeldByOptions options, int millis) {
            long begin = System.nanoTime();
            HeldByOptions limited = options.maxPause(LONGEST_PAUSE);
            T first = once.apply(limited.maxTime(Duration.ofMillis(millis)));
            Duration left = Duration.ofMillis(millis).minusNanos(System.nanoTime() - begin);
            if (!isWorthAnother.test(first) || left.compareTo(LONGEST_PAUSE) <= 0) {
                return first;
            }
            T second = once.apply(FacadeAccess.by(IN_PROCESS, limited).maxTime(left));
            return isBetter.test(first, second) ? second : first;
        }
    }

    /** Could a walk in this process find more than a child did? */
    private static boolean isWorthAnother(HeldBy held) {
        return held.way() == HeldBy.Way.CHILD
                && held.holders().isEmpty()
                && (samples(held, Unresolved.TIME) > 0
                        || samples(held, Unresolved.MEMORY) > 0
                        || samples(held, Unresolved.NOT_POSSIBLE) > 0);
    }

    /** Draws an answer in at most this many lines, or says in one why there is none. */
    public static String draw(HeldBy held, int lines) {
        if (held.holders().isEmpty()) {
            return shortened(UNKNOWN + why(held));
        }
        return join(held.toText(lines).lines().toList());
    }

    /** Puts the lines of a drawing below the title. */
    static String join(List<String> lines) {
        String text =
                withoutHarness(lines).stream()
                        .map(HoldersText::shortened)
                        .collect(Collectors.joining("\n  ", TITLE, ""));
        return text.length() <= LONGEST_TEXT
                ? text
                : text.substring(0, LONGEST_TEXT - CUT.length()) + CUT;
    }

    // ---- What the harness holds ----

    /**
     * Says in one line that the harness holds the test's instance, in place of the references
     * through which it does.
     */
    private static List<String> withoutHarness(List<String> drawn) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < drawn.size(); i++) {
            Matcher root = ROOT.matcher(drawn.get(i));
            int next = root.matches() ? afterHarness(drawn, i, root.group(2)) : -1;
            if (next < 0) {
                lines.add(drawn.get(i));
            } else {
                lines.add(root.group(1) + HARNESS_HOLDS);
                i = next - 1;
            }
        }
        return lines;
    }

    /**
     * Returns the first line below a root that names the application, if only references of the
     * harness lead there, and none of a store, which extensions of the application fill; else -1.
     */
    private static int afterHarness(List<String> lines, int root, String text) {
        boolean isHarness = text.startsWith(LOCAL) && isOfHarness(text.substring(LOCAL.length()));
        if (!isHarness && isOfApplication(text)) {
            return -1;
        }
        for (int i = root + 1; i < lines.size(); i++) {
            Matcher line = BELOW.matcher(lines.get(i));
            if (!line.matches() || line.group(1).contains("Store")) {
                return -1;
            }
            isHarness |= isOfHarness(line.group(1));
            if (isOfApplication(line.group(1))) {
                return isHarness ? i : -1;
            }
        }
        return -1;
    }

    private static boolean isOfHarness(String text) {
        return HARNESS.stream().anyMatch(text::startsWith);
    }

    /** Is it a field or a local of the application, such as {@code com.acme.Shop.open}? */
    private static boolean isOfApplication(String text) {
        Matcher named = NAMED.matcher(text);
        return named.matches() && LibraryCode.isOwn(named.group(1)) && !isOfHarness(named.group(1));
    }

    private static String why(HeldBy held) {
        return Arrays.stream(Unresolved.values())
                .filter(cause -> samples(held, cause) > 0)
                .max(Comparator.comparingLong(cause -> samples(held, cause)))
                .map(cause -> why(held, cause))
                .orElse("none of them is alive any more.");
    }

    /** Of {@link Unresolved#NOT_POSSIBLE}, the notes have the reason. */
    private static String why(HeldBy held, Unresolved cause) {
        String id =
                held.way() == HeldBy.Way.NONE ? "holders-way" : "holders-unresolved-not-possible";
        Optional<String> note =
                held.notes().stream()
                        .filter(each -> each.id().equals(id))
                        .map(Note::text)
                        .findFirst();
        return cause == Unresolved.NOT_POSSIBLE && note.isPresent()
                ? "there was no way. " + note.get()
                : words(cause) + " (" + cause + ").";
    }

    private static long samples(HeldBy held, Unresolved cause) {
        return Objects.requireNonNull(held.unresolved().get(cause)).samples();
    }

    static String words(Unresolved cause) {
        return switch (cause) {
            case PAUSE -> "the JVM would have stopped for more than 500 ms";
            case TIME -> "the search takes longer; -D" + PROPERTY + "=10000 allows 10 s";
            case MEMORY -> "there is too little memory for the search";
            case LARGE_ARRAY -> "an array is too large to follow its elements within a pause";
            case DIED -> "they have died since, or their recording was closed";
            case ONLY_WEAK -> "no strong or soft reference leads to them";
            case NOT_POSSIBLE -> "this JVM offers no way to them";
        };
    }

    private static String shortened(String line) {
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE - 3) + "...";
    }
}

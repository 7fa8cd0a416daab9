// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.HolderRoot;
import io.heapsampler.Unresolved;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.holders.WatchedPaths;
import io.heapsampler.internal.holders.WatchedPaths.Path;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The references that hold class loaders, for the message of a failed assertion: searched and drawn
 * as {@link HoldersText} does for objects of sites. Those that are held alike share one drawing.
 * Immutable.
 */
public final class LoadersText {

    /** The line in place of a drawing, if the search failed. */
    public static final String NOT_SEARCHED = "Held by: not known, because the search failed.";

    /** References at each end of a long path. */
    private static final int END = 4;

    private final WatchedPaths paths;

    LoadersText(WatchedPaths paths) {
        this.paths = paths;
    }

    /**
     * Searches for as long as {@link HoldersText#PROPERTY} says, or for its default where that is
     * off, as {@link HoldersText} does.
     *
     * @param recording an open one
     * @throws RuntimeException if the search fails
     */
    public static LoadersText search(
            HeapRecording recording, List<WeakReference<ClassLoader>> loaders) {
        WeakReference<?>[] watched = loaders.toArray(WeakReference<?>[]::new);
        HoldersText.Search<WatchedPaths> search =
                new HoldersText.Search<>(
                        options -> pathsTo(recording, watched, options),
                        LoadersText::isWorthAnother,
                        LoadersText::isBetter);
        return new LoadersText(search.run(HeldByOptions.all()));
    }

    private static WatchedPaths pathsTo(
            HeapRecording recording, WeakReference<?>[] watched, HeldByOptions options) {
        return new WatchedPaths(FacadeAccess.of(recording).pathsTo(watched, options));
    }

    private static boolean isWorthAnother(WatchedPaths found) {
        return found.way() == HeldBy.Way.CHILD.ordinal()
                && found.all().stream()
                        .anyMatch(path -> !path.isHeld() && path.missing() != Unresolved.DIED);
    }

    private static boolean isBetter(WatchedPaths first, WatchedPaths second) {
        return held(second) >= held(first);
    }

    private static long held(WatchedPaths found) {
        return found.all().stream().filter(Path::isHeld).count();
    }

    /**
     * What holds a loader.
     *
     * @param missing why that is not known; null if it is
     * @param root the kind of root; null if it is not known
     * @param isSoft whether one of the references is soft
     * @param classes of the objects through which the references lead
     */
    public record Holding(
            @Nullable Unresolved missing,
            @Nullable HolderRoot root,
            boolean isSoft,
            List<String> classes) {

        public Holding {
            classes = List.copyOf(classes);
        }
    }

    /** Returns what holds each loader, in their order. */
    public List<Holding> holdings() {
        return paths.all().stream()
                .map(
                        path ->
                                new Holding(
                                        path.missing(), path.root(), path.isSoft(), path.classes()))
                .toList();
    }

    /**
     * Draws the paths.
     *
     * @param labels how each loader reads, in their order; empty for one that is not drawn
     * @param groups how many different paths at most, each of {@link HoldersText#LINES_PER_SITE}
     *     lines at most
     * @return the lines, without a line feed at the end
     */
    public String draw(List<String> labels, int groups) {
        Map<List<String>, List<Integer>> alike = new LinkedHashMap<>();
        Map<Unresolved, Integer> missing = new LinkedHashMap<>();
        for (int i = 0; i < paths.all().size(); i++) {
            Path path = paths.all().get(i);
            if (labels.get(i).isEmpty()) {
                continue;
            }
            if (path.isHeld()) {
                alike.computeIfAbsent(path.references(), key -> new ArrayList<>()).add(i);
            } else {
                missing.merge(path.missing(), 1, Integer::sum);
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(head(alike.values().stream().mapToInt(List::size).sum()));
        List<List<Integer>> shown = alike.values().stream().limit(groups).toList();
        for (int i = 0; i < shown.size(); i++) {
            boolean isLast = i == shown.size() - 1 && shown.size() == alike.size();
            drawGroup(shown.get(i), labels, isLast, lines);
        }
        if (shown.size() < alike.size()) {
            int more = alike.size() - shown.size();
            lines.add("╰─ " + more + (more == 1 ? " more path" : " more paths"));
        }
        missing.forEach((cause, count) -> lines.add(without(cause, count)));
        return HoldersText.join(lines);
    }

    private String head(int drawn) {
        if (paths.way() == 0) {
            return "not known, because there was no way. " + paths.reason();
        }
        String way =
                switch (paths.way()) {
                    case 1 -> "walked in one stop";
                    case 2 -> "walked in a child process";
                    default -> "walked in short stops";
                };
        String pause =
                String.format(Locale.ROOT, "%.1f ms", (double) paths.longestPauseMicros() / 1_000);
        String found = drawn == 0 ? "no path was found" : count(drawn) + " with a path";
        return found + " (" + way + ", longest pause " + pause + ")";
    }

    private static String count(long loaders) {
        return loaders == 1 ? "1 class loader" : loaders + " class loaders";
    }

    private static String without(Unresolved cause, int count) {
        return "no path to "
                + count(count)
                + ", because "
                + HoldersText.words(cause)
                + " ("
                + cause
                + ")";
    }

    private void drawGroup(
            List<Integer> loaders, List<String> labels, boolean isLast, List<String> lines) {
        Path path = paths.all().get(loaders.get(0));
        String corner = isLast ? "╰─ " : "├─ ";
        String below = isLast ? "   " : "│  ";
        String figures = count(loaders.size()) + ": ";
        List<String> texts = path.references().stream().map(PrintableText::of).toList();
        int omitted = 0;
        for (int i = 0; i < texts.size(); i++) {
            if (isOmitted(i, path)) {
                omitted++;
                continue;
            }
            if (omitted > 0) {
                lines.add(below + "  … " + omitted + (omitted == 1 ? " reference" : " references"));
                omitted = 0;
            }
            lines.add(i == 0 ? corner + figures + texts.get(0) : below + "↓ " + texts.get(i));
            if (i == path.suspect()) {
                String indent = below + " ".repeat(i == 0 ? figures.length() : 2);
                lines.add(indent + "~".repeat(texts.get(i).length()));
            }
        }
        String label = labels.get(loaders.get(0));
        boolean isSame = loaders.stream().allMatch(each -> labels.get(each).equals(label));
        lines.add(below + "╰→ " + label + (isSame ? "" : ", and others"));
    }

    /** Leaves two lines for what is omitted, and one for what is underlined. */
    private static boolean isOmitted(int i, Path path) {
        int count = path.references().size();
        return count > 2 * END + 1 && i >= END && i < count - END + 1 && i != path.suspect();
    }
}

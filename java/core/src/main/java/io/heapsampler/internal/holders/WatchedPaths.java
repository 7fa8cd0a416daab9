// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.holders;

import io.heapsampler.HolderRoot;
import io.heapsampler.Unresolved;
import io.heapsampler.internal.holders.PathFolder.Folded;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The paths to objects that are no samples, in the order of the question. Immutable once built, and
 * safe for use by many threads.
 */
public final class WatchedPaths {

    private static final Unresolved[] CAUSES = Unresolved.values();

    /**
     * The path to one object.
     *
     * @param missing why there is none; null if it is held
     * @param root the kind of root; null if it is not held
     * @param references what leads to the object, from the root on, one text each; empty if it is
     *     not held
     * @param suspect the reference to look at first, of those; -1 for none
     * @param isSoft whether one of the references is soft
     * @param classes of the objects through which it leads
     */
    public record Path(
            @Nullable Unresolved missing,
            @Nullable HolderRoot root,
            List<String> references,
            int suspect,
            boolean isSoft,
            List<String> classes) {

        public Path {
            references = List.copyOf(references);
            classes = List.copyOf(classes);
        }

        /** Returns whether a path was found. */
        public boolean isHeld() {
            return missing == null;
        }
    }

    private final HeldPaths paths;
    private final List<Path> all = new ArrayList<>();

    /** Reads an answer about objects that are no samples. */
    public WatchedPaths(HeldPaths paths) {
        this.paths = paths;
        Links links = new Links(paths);
        ThreadNames names = new ThreadNames(paths.threadNames(), paths.thread);
        PathFolder folder = new PathFolder(paths, names, links);
        for (int target = 0; target < paths.place.length; target++) {
            all.add(path(target, folder, links));
        }
    }

    private Path path(int target, PathFolder folder, Links links) {
        int outcome = paths.outcome[target];
        if (outcome != HeldPaths.HELD) {
            return new Path(CAUSES[outcome - 1], null, List.of(), -1, false, List.of());
        }
        List<Link> folded = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (Folded each : folder.fold(target)) {
            Link link = links.all().get(each.link);
            folded.add(link);
            texts.add(each.isRepeated ? link.text() + " (repeated)" : link.text());
        }
        return new Path(
                null,
                folded.get(0).root(),
                texts,
                suspect(folded),
                folded.stream().anyMatch(Link::isSoft),
                classes(target));
    }

    /** Finds it as {@link HolderTree} does for a path without branches. */
    private static int suspect(List<Link> links) {
        int suspect = -1;
        boolean isGrowing = false;
        for (int i = 0; i < links.size(); i++) {
            if (links.get(i).isOwnField()) {
                boolean leadsInside = i + 1 < links.size() && links.get(i + 1).isElement();
                suspect = leadsInside || !isGrowing ? i : suspect;
                isGrowing |= leadsInside;
            }
        }
        return suspect;
    }

    private List<String> classes(int target) {
        List<String> classes = new ArrayList<>();
        for (int i = paths.start[target]; i < paths.start[target + 1]; i++) {
            classes.add(paths.names[paths.from[i]]);
            classes.add(paths.names[paths.to[i]]);
        }
        return classes;
    }

    /** Returns the paths in the order of the objects. */
    public List<Path> all() {
        return all;
    }

    /** 0 none, 1 in one stop, 2 in a child, 3 in short passes. */
    public int way() {
        return paths.way();
    }

    /** The longest pause, in µs. */
    public long longestPauseMicros() {
        return paths.longestPauseMicros();
    }

    /** Why no other way was taken; may be empty. */
    public String reason() {
        return paths.reason();
    }
}

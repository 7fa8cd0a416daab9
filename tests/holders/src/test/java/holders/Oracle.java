// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;

/** Holds the paths of a snapshot against a heap dump of the same moment. */
final class Oracle {

    private static final int FIRST_WITH_STACKS_OF_VIRTUAL_THREADS = 22;

    private final int feature;

    Oracle(int feature) {
        this.feature = feature;
    }

    /** Goes the path to each case's target in the dump; returns how many, for a reader. */
    String check(File dump, java.nio.file.Path snapshot) throws Exception {
        List<Path> paths = HeldFile.paths(Files.readAllBytes(snapshot));
        int checked = 0;
        try (DumpHeap heap = new DumpHeap(dump)) {
            Walker<Long> walker = new Walker<>(heap);
            for (Case known : Cases.of(feature)) {
                for (Path path : paths) {
                    if (known.isTarget(path.className(), path.size()) && isShown(known, path)) {
                        Set<Long> ends = walker.follow(path);
                        assertThat(ends)
                                .as("%s in the heap dump: %s", known.name(), path)
                                .anyMatch(end -> heap.className(end).equals(path.className()));
                        checked++;
                    }
                }
            }
        }
        assertThat(checked).as("paths that were compared").isGreaterThanOrEqualTo(40);
        return "in the dump=" + checked;
    }

    /**
     * The stack of a parked virtual thread is in a dump from 22 on only, and what the fields of a
     * {@code java.lang.Class} refer to never.
     */
    private boolean isShown(Case known, Path path) {
        boolean isParked =
                known.name().equals("ParkedVirtualThread")
                        && feature < FIRST_WITH_STACKS_OF_VIRTUAL_THREADS;
        boolean isOfClass =
                path.steps().stream().anyMatch(step -> step.owner().equals("java.lang.Class"));
        return path.outcome() == Path.Outcome.HELD && !isParked && !isOfClass;
    }
}

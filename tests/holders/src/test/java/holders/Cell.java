// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One JVM of a kind. */
record Cell(Jdk jdk, Gc gc, Way way, Kind kind) {

    /** Before a merge: each kind, each way, each JDK, each collector once; a minute. */
    private static final Set<String> BEFORE_MERGE =
            Set.of(
                    "17-serial-one-stop-paths",
                    "17-shenandoah-child-paths",
                    "21-parallel-child-paths",
                    "25-zgc-passes-paths",
                    "25-g1-child-dump",
                    "21-g1-child-sums",
                    "17-g1-child-trouble",
                    "25-serial-child-kills",
                    "25-parallel-child-refusals");

    /**
     * Returns the cells of a tier, or those of them that are requested by name; before a merge any
     * can be. The long tier leaves out known holders alone, since a heap dump needs them too.
     */
    static List<Cell> of(Tier tier, Wanted wanted) {
        List<Cell> all = all();
        wanted.check(all.stream().map(Cell::name).toList());
        boolean isSome = tier == Tier.MERGE && wanted.isAll();
        return all.stream()
                .filter(cell -> wanted.includes(cell.name()))
                .filter(cell -> !isSome || BEFORE_MERGE.contains(cell.name()))
                .filter(cell -> tier == Tier.MERGE || cell.kind != Kind.PATHS)
                .toList();
    }

    private static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (Jdk jdk : Jdk.all()) {
            for (Gc gc : Gc.of(jdk.feature())) {
                for (Way way : Way.of(gc)) {
                    for (Kind kind : Kind.values()) {
                        if (kind.isOf(way)) {
                            cells.add(new Cell(jdk, gc, way, kind));
                        }
                    }
                }
            }
        }
        return cells;
    }

    String name() {
        return jdk.feature() + "-" + gc.label() + "-" + way.label() + "-" + kind.label();
    }

    List<String> flags() {
        List<String> flags = new ArrayList<>(gc.flags());
        flags.addAll(jdk.accessFlags());
        return flags;
    }
}

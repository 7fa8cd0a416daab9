// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A case on a JVM of a kind. */
record Cell(Jdk jdk, Gc gc, Case patient) {

    /** Before a merge: the three problems that are met most often, each collector, each JDK. */
    private static final Set<String> BEFORE_MERGE =
            Set.of(
                    "17-serial-promotion",
                    "17-serial-filled-healthy",
                    "25-serial-old",
                    "21-zgc-generational-old-concurrent",
                    "25-zgc-promotion-concurrent-healthy",
                    "17-g1-references",
                    "17-parallel-leak",
                    "17-g1-explicit",
                    "25-zgc-loaders",
                    "21-parallel-direct",
                    "25-g1-humongous",
                    "17-shenandoah-degenerated",
                    "25-shenandoah-generational-cache-healthy",
                    "21-g1-sessions-healthy");

    /** Returns the cells of a tier, or those that are requested by name. */
    static List<Cell> of(Tier tier, Wanted wanted) {
        List<Cell> cells = new ArrayList<>();
        for (Jdk jdk : Jdk.all()) {
            for (Gc gc : Gc.of(jdk.feature())) {
                for (Case patient : Cases.all()) {
                    if (patient.where().test(gc, jdk.feature())) {
                        cells.add(new Cell(jdk, gc, patient));
                    }
                }
            }
        }
        boolean isSome = tier == Tier.MERGE && wanted.isAll();
        return cells.stream()
                .filter(cell -> wanted.includes(cell.name()))
                .filter(cell -> !isSome || BEFORE_MERGE.contains(cell.name()))
                .toList();
    }

    String name() {
        return jdk.feature() + "-" + gc.label() + "-" + patient.name();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A JDK with a collector: what is troubled. */
record Target(Jdk jdk, Gc gc) {

    /** Returns every collector of every JDK. */
    static List<Target> all() {
        return of(Jdk.all());
    }

    static List<Target> of(List<Jdk> jdks) {
        List<Target> targets = new ArrayList<>();
        for (Jdk jdk : jdks) {
            for (Gc gc : Gc.of(jdk.feature())) {
                targets.add(new Target(jdk, gc));
            }
        }
        return targets;
    }

    /**
     * Returns one collector of each JDK, another one with each turn until all have had theirs;
     * those of different JDKs are mostly different ones.
     */
    static List<Target> oneOfEach(List<Target> all, long turn) {
        Map<Jdk, List<Target>> byJdk =
                all.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Target::jdk, LinkedHashMap::new, Collectors.toList()));
        List<Target> chosen = new ArrayList<>();
        for (List<Target> ofJdk : byJdk.values()) {
            chosen.add(ofJdk.get(Math.floorMod(turn + 2 * chosen.size(), ofJdk.size())));
        }
        return chosen;
    }

    String name() {
        return jdk.feature() + "-" + gc.label();
    }

    List<String> flags() {
        List<String> flags = new ArrayList<>(gc.flags());
        flags.addAll(jdk.accessFlags());
        return flags;
    }
}

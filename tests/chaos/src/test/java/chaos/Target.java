// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A JDK with a collector: what is troubled. */
record Target(Jdk jdk, Gc gc) {

    private static final int FIRST_WITH_DENY = 24;

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

    String name() {
        return jdk.feature() + "-" + gc.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    List<String> flags() {
        List<String> flags = new ArrayList<>(gc.flags());
        if (jdk.feature() >= FIRST_WITH_DENY) {
            flags.add("--illegal-native-access=deny");
            flags.add("--enable-native-access=ALL-UNNAMED");
        }
        return flags;
    }
}

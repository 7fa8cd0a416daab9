// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import java.util.ArrayList;
import java.util.List;

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

    String name() {
        return jdk.feature() + "-" + gc.label();
    }

    List<String> flags() {
        List<String> flags = new ArrayList<>(gc.flags());
        flags.addAll(jdk.accessFlags());
        return flags;
    }
}

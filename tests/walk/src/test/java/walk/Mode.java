// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How code is run. */
enum Mode {
    TIERED,
    INTERPRETED("-Xint"),
    C1("-XX:TieredStopAtLevel=1"),
    C2("-XX:-TieredCompilation"),
    /**
     * The Graal compiler in the place of C2, as in GraalVM; the build fetches it for some JDKs. It
     * compiles the applications and the scenarios soon: else the first compiler does all the work.
     */
    GRAAL(
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:+EnableJVMCI",
            "-XX:+UseJVMCICompiler",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=CompileThresholdScaling,org.h2.*::*,0.05",
            "-XX:CompileCommand=BackgroundCompilation,org.h2.*::*,false",
            "-XX:CompileCommand=CompileThresholdScaling,walk.*::*,0.05",
            "-XX:CompileCommand=BackgroundCompilation,walk.*::*,false");

    private static final int OLDEST = 17;

    /** JDKs for which the build fetches it (pom.xml). */
    private static final Set<Integer> WITH_GRAAL = Set.of(OLDEST, 25);

    private final List<String> flags;

    Mode(String... flags) {
        this.flags = List.of(flags);
    }

    List<String> flags(Jdk jdk) {
        List<String> all = new ArrayList<>(flags);
        if (this == GRAAL) {
            String modules = System.getProperty("walk.graal") + "-" + jdk.feature();
            all.add("--module-path=" + modules);
            all.add("--upgrade-module-path=" + modules);
        }
        return all;
    }

    /**
     * Returns with which of the kinds for every mode it is run before a merge. Graal takes long to
     * start: the oldest JDK deoptimises with it, the others run the application.
     */
    List<Kind> kinds(List<Kind> every, Jdk jdk) {
        return switch (this) {
            case TIERED -> List.of();
            case GRAAL -> List.of(jdk.feature() == OLDEST ? Kind.DEOPT : Kind.BANK);
            default -> every;
        };
    }

    /** Graal has no barriers for Shenandoah, and on JDK 17 none for ZGC: the JVM uses C2 then. */
    boolean has(Gc gc) {
        return this != GRAAL || gc == Gc.SERIAL || gc == Gc.PARALLEL || gc == Gc.G1;
    }

    /** Returns why this JDK cannot run code so; empty if it can. Jars that lack are no reason. */
    String obstacle(Jdk jdk) {
        if (this != GRAAL || WITH_GRAAL.contains(jdk.feature()) && jdk.has("jdk.internal.vm.ci")) {
            return "";
        }
        return "no Graal compiler for " + jdk.home();
    }
}

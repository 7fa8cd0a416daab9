// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How code is run. */
enum Mode {
    TIERED,
    INTERPRETED("-Xint"),
    C1("-XX:TieredStopAtLevel=1"),
    C2("-XX:-TieredCompilation"),
    /** The Graal compiler in the place of C2, as in GraalVM; the build fetches it for some JDKs. */
    GRAAL("-XX:+UnlockExperimentalVMOptions", "-XX:+EnableJVMCI", "-XX:+UseJVMCICompiler");

    private final List<String> flags;

    Mode(String... flags) {
        this.flags = List.of(flags);
    }

    List<String> flags(Jdk jdk) {
        if (this != GRAAL) {
            return flags;
        }
        String modules = graal(jdk).toString();
        return List.of(
                flags.get(0),
                flags.get(1),
                flags.get(2),
                "--module-path=" + modules,
                "--upgrade-module-path=" + modules);
    }

    /** Returns with which of the kinds for every mode it is run before a merge. */
    List<Kind> kinds(List<Kind> every) {
        return switch (this) {
            case TIERED -> List.of();
            case GRAAL -> every.subList(0, 1);
            default -> every;
        };
    }

    /** Graal has no barriers for Shenandoah. */
    boolean has(Gc gc) {
        return this != GRAAL || gc != Gc.SHENANDOAH && gc != Gc.SHENANDOAH_GENERATIONAL;
    }

    /** Returns why this JDK cannot run code so; empty if it can. */
    String obstacle(Jdk jdk) {
        if (this != GRAAL || Files.isDirectory(graal(jdk)) && jdk.has("jdk.internal.vm.ci")) {
            return "";
        }
        return "no Graal compiler for " + jdk.home();
    }

    private static Path graal(Jdk jdk) {
        return Path.of(System.getProperty("walk.graal") + "-" + jdk.feature()).toAbsolutePath();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.support.Gc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * A program with the flags that make it sick, or keep it healthy, and what the doctor has to say.
 *
 * @param name in the names of cells
 * @param program what runs
 * @param flags of the JVM, beside those that choose the collector
 * @param finding what must be found; empty for the healthy
 * @param isWarning whether it must be more than information
 * @param site the method that must be named as its cause; empty if samples cannot tell
 * @param companions what else may be found, worse than information, because it truly is there
 * @param where on which collectors and JDKs it runs
 */
record Case(
        String name,
        Supplier<Program> program,
        List<String> flags,
        String finding,
        boolean isWarning,
        String site,
        Set<String> companions,
        BiPredicate<Gc, Integer> where) {

    /** Begins one that must be warned of. */
    static Case sick(String name, Supplier<Program> program, String finding) {
        return new Case(name, program, List.of(), finding, true, "", Set.of(), (gc, jdk) -> true);
    }

    /** Begins one that must be told, and no more. */
    static Case told(String name, Supplier<Program> program, String finding) {
        return new Case(name, program, List.of(), finding, false, "", Set.of(), (gc, jdk) -> true);
    }

    /** Begins one of which nothing must be told that is worse than information. */
    static Case healthy(String name, Supplier<Program> program) {
        return new Case(name, program, List.of(), "", false, "", Set.of(), (gc, jdk) -> true);
    }

    Case flags(String... more) {
        List<String> all = new ArrayList<>(flags);
        all.addAll(Arrays.asList(more));
        return new Case(
                name, program, List.copyOf(all), finding, isWarning, site, companions, where);
    }

    Case with(String... more) {
        Set<String> all = new HashSet<>(companions);
        all.addAll(Arrays.asList(more));
        return new Case(name, program, flags, finding, isWarning, site, Set.copyOf(all), where);
    }

    /** Asks for the name of who causes it. */
    Case by(String method) {
        return new Case(name, program, flags, finding, isWarning, method, companions, where);
    }

    Case on(BiPredicate<Gc, Integer> where) {
        return new Case(name, program, flags, finding, isWarning, site, companions, where);
    }

    Case on(Gc... collectors) {
        return on((gc, jdk) -> List.of(collectors).contains(gc));
    }

    boolean isSick() {
        return !finding.isEmpty();
    }

    /** Says whether a warning may be given. */
    boolean allows(String id) {
        return id.equals(finding) || companions.contains(id);
    }
}

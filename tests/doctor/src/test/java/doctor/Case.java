// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.support.Gc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * A program with the flags that make it faulty, or keep it healthy, and what the doctor has to say.
 *
 * @param name in the names of cells
 * @param program what runs
 * @param flags of the JVM, beside those that choose the collector
 * @param finding what must be found; empty for the healthy
 * @param isWarning whether it must be more than information
 * @param site the method that must be named as its cause, as who allocates or who calls; empty if
 *     neither samples nor calls can tell
 * @param words words that the finding must contain; empty for nothing in particular
 * @param companions what else may be found under a collector, worse than information, because it
 *     truly is there
 * @param untold what must not be reported, not even as information
 * @param pauseMillis the longest pause that the service allows; 0: what the doctor assumes
 * @param where on which collectors and JDKs it runs
 */
record Case(
        String name,
        Supplier<Program> program,
        List<String> flags,
        String finding,
        boolean isWarning,
        String site,
        String words,
        Map<Gc, Set<String>> companions,
        Set<String> untold,
        double pauseMillis,
        BiPredicate<Gc, Integer> where) {

    /** Begins one that must be warned of. */
    static Case sick(String name, Supplier<Program> program, String finding) {
        return begun(name, program, finding, true);
    }

    /** Begins one that must be reported, and no more. */
    static Case told(String name, Supplier<Program> program, String finding) {
        return begun(name, program, finding, false);
    }

    /** Begins one of which nothing worse than information may be reported. */
    static Case healthy(String name, Supplier<Program> program) {
        return begun(name, program, "", false);
    }

    private static Case begun(
            String name, Supplier<Program> program, String finding, boolean isWarning) {
        return new Case(
                name,
                program,
                List.of(),
                finding,
                isWarning,
                "",
                "",
                Map.of(),
                Set.of(),
                0,
                (gc, jdk) -> true);
    }

    private Case copy(
            List<String> flags,
            String site,
            String words,
            Map<Gc, Set<String>> companions,
            Set<String> untold,
            double pauseMillis,
            BiPredicate<Gc, Integer> where) {
        return new Case(
                name,
                program,
                flags,
                finding,
                isWarning,
                site,
                words,
                companions,
                untold,
                pauseMillis,
                where);
    }

    Case flags(String... more) {
        List<String> all = new ArrayList<>(flags);
        all.addAll(Arrays.asList(more));
        return copy(List.copyOf(all), site, words, companions, untold, pauseMillis, where);
    }

    /** Lets more come along under each collector. */
    Case with(String... more) {
        Case all = this;
        for (Gc gc : Gc.values()) {
            all = all.with(gc, more);
        }
        return all;
    }

    /** Lets more come along under one collector. */
    Case with(Gc gc, String... more) {
        Set<String> ids = new HashSet<>(companions.getOrDefault(gc, Set.of()));
        ids.addAll(Arrays.asList(more));
        Map<Gc, Set<String>> all = new HashMap<>(companions);
        all.put(gc, Set.copyOf(ids));
        return copy(flags, site, words, Map.copyOf(all), untold, pauseMillis, where);
    }

    /** Demands silence about a finding that is no more than information where it is made. */
    Case without(String id) {
        return copy(flags, site, words, companions, Set.of(id), pauseMillis, where);
    }

    /** Demands the name of the code that causes it. */
    Case by(String method) {
        return copy(flags, method, words, companions, untold, pauseMillis, where);
    }

    /** Demands words, such as why no code is named. */
    Case saying(String text) {
        return copy(flags, site, text, companions, untold, pauseMillis, where);
    }

    /** Is for a service that allows shorter pauses: long ones are so on any machine then. */
    Case pausing(double mostMillis) {
        return copy(flags, site, words, companions, untold, mostMillis, where);
    }

    Case on(BiPredicate<Gc, Integer> where) {
        return copy(flags, site, words, companions, untold, pauseMillis, where);
    }

    Case on(Gc... collectors) {
        return on((gc, jdk) -> List.of(collectors).contains(gc));
    }

    boolean isSick() {
        return !finding.isEmpty();
    }

    /**
     * Returns whether a warning may be given under a collector: of what is only reported none may.
     */
    boolean allows(Gc gc, String id) {
        return (isWarning && id.equals(finding))
                || companions.getOrDefault(gc, Set.of()).contains(id);
    }
}

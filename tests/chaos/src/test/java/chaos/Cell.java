// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A scenario on a target, with its amount. */
record Cell(Target target, Kind kind, long amount) {

    private static final int LAST_WITH_FREED_IDS = 21;

    /** Returns the cells of a tier, without those that a JDK cannot have by its version. */
    static List<Cell> of(Tier tier) {
        return tier == Tier.LONG ? all(Target.all()) : some(Target.all(), tier.turns());
    }

    private static List<Cell> all(List<Target> all) {
        List<Cell> cells = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (Target target : targetsOf(kind, all)) {
                cells.add(new Cell(target, kind, kind.many()));
            }
        }
        return cells;
    }

    /**
     * Each scenario once, then again only on targets that have had none yet; every target in its
     * turn.
     */
    static List<Cell> some(List<Target> all, int turns) {
        List<Cell> cells = new ArrayList<>();
        List<Target> waiting = new ArrayList<>(all);
        for (int turn = 0; turn < turns; turn++) {
            boolean isFirst = turn == 0;
            for (Kind kind : Kind.values()) {
                Optional<Target> next =
                        targetsOf(kind, waiting).stream()
                                .filter(target -> isForAMerge(kind, target))
                                .filter(target -> isFirst || isFree(target, cells))
                                .findFirst();
                if (next.isPresent()) {
                    cells.add(new Cell(next.get(), kind, kind.few()));
                    waiting.remove(next.get());
                    waiting.add(next.get());
                }
            }
        }
        return cells;
    }

    private static boolean isFree(Target target, List<Cell> cells) {
        return cells.stream().noneMatch(cell -> cell.target().equals(target));
    }

    /**
     * Not where what the JVM does by itself would be reported now and then: with -Xcheck:jni ZGC
     * keeps what weak references point to when they are inspected while it marks; and up to JDK 21
     * a class's table of method ids is freed, when a redefinition enlarges it, while other threads
     * read it.
     */
    private static boolean isForAMerge(Kind kind, Target target) {
        return switch (kind) {
            case HEAP_EXHAUSTION -> !holdsWhatIsChecked(target);
            case REDEFINITION -> target.jdk().feature() > LAST_WITH_FREED_IDS;
            default -> true;
        };
    }

    private static List<Target> targetsOf(Kind kind, List<Target> all) {
        return all.stream().filter(target -> kind.existsOn(target.jdk())).toList();
    }

    String name() {
        return target.name() + "-" + kind.label();
    }

    /** Returns why it cannot be run; empty if it can. */
    String obstacle() {
        String module = kind.module();
        boolean isThere = module.isEmpty() || target.jdk().has(module);
        return isThere ? "" : "there is no module " + module + " in " + target.jdk().home();
    }

    /** Where the check of JNI calls would keep a full heap full. */
    private static boolean holdsWhatIsChecked(Target target) {
        return target.name().contains("zgc");
    }

    Launch launch(ForkedJvm jvms) {
        List<String> flags = new ArrayList<>(kind.flags());
        switch (kind) {
            case REDEFINITION -> flags.add(jvms.javaAgent(""));
            case INSTRUMENTED -> flags.add(jvms.javaAgent("everything"));
            case HEAP_EXHAUSTION -> {
                if (holdsWhatIsChecked(target)) {
                    flags.add("-XX:-CheckJNICalls");
                }
            }
            case SECOND_AGENT -> flags.add(ForkedJvm.nativeAgent());
            default -> {}
        }
        Launch launch =
                Launch.of(name(), target, Chaos.class, kind.label(), String.valueOf(amount))
                        .flags(flags);
        Launch patient = launch.within(kind.seconds(amount));
        return kind == Kind.DEBUGGER ? patient.with(new Debugger()) : patient;
    }
}

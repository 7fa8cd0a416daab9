// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Jdk;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One JVM of a kind, with a scenario. */
record Cell(Jdk jdk, Gc gc, Mode mode, Kind kind) {

    /**
     * Enough to see each way of running code meet each sort of frame: the first on every JDK, the
     * others on one.
     */
    private static final List<Kind> IN_EVERY_MODE =
            List.of(Kind.BANK, Kind.UPCALLS, Kind.THROWN, Kind.DEPTH_64, Kind.REDEFINED);

    /** Long to start, and made of what the storms are made of: each on one JDK, in turn. */
    private static final List<Kind> ON_ONE_JDK =
            List.of(Kind.JAVAC, Kind.JYTHON, Kind.LUCENE, Kind.FOP);

    /** From 26 on ids of methods are no addresses. */
    private static final int LAST_WALKED = 25;

    /** Returns the cells of a tier, without those that the JDK cannot run by its version. */
    static List<Cell> of(Tier tier) {
        List<Cell> cells = new ArrayList<>();
        List<Jdk> jdks = walked();
        for (Jdk jdk : jdks) {
            if (tier == Tier.LONG) {
                addAll(cells, jdk);
            } else {
                addSome(cells, jdk, jdks);
            }
        }
        return cells.stream().filter(cell -> cell.jdk.feature() >= cell.since()).toList();
    }

    /** Returns the JDKs whose stacks can be looked up. */
    static List<Jdk> walked() {
        return Jdk.all().stream().filter(jdk -> jdk.feature() <= LAST_WALKED).toList();
    }

    /**
     * Every scenario once, every collector in turn; of the modes and the large applications each
     * JDK has its share.
     */
    private static void addSome(List<Cell> cells, Jdk jdk, List<Jdk> jdks) {
        List<Gc> collectors = Gc.of(jdk.feature());
        int turn = jdk.feature();
        for (Kind kind : Kind.values()) {
            if (!ON_ONE_JDK.contains(kind) || jdk.equals(oneFor(kind, jdks))) {
                Gc gc = collectors.get(turn++ % collectors.size());
                cells.add(new Cell(jdk, gc, Mode.TIERED, kind));
            }
        }
        int place = jdks.indexOf(jdk);
        for (Mode mode : Mode.values()) {
            for (Kind kind : mode.kinds(IN_EVERY_MODE, jdk)) {
                boolean isMine =
                        (mode.ordinal() + IN_EVERY_MODE.indexOf(kind)) % jdks.size() == place;
                if (isMine || kind == IN_EVERY_MODE.get(0) || mode == Mode.GRAAL) {
                    Gc gc = collectors.get(turn++ % collectors.size());
                    cells.add(new Cell(jdk, mode.has(gc) ? gc : Gc.G1, mode, kind));
                }
            }
        }
    }

    /** Returns the JDK of a large application: of those that can run it, another one for each. */
    private static Jdk oneFor(Kind kind, List<Jdk> jdks) {
        List<Jdk> able =
                kind == Kind.JAVAC ? jdks.stream().filter(Jdk::hasCompiler).toList() : jdks;
        List<Jdk> some = able.isEmpty() ? jdks : able;
        return some.get(ON_ONE_JDK.indexOf(kind) % some.size());
    }

    private static void addAll(List<Cell> cells, Jdk jdk) {
        for (Kind kind : Kind.values()) {
            for (Gc gc : Gc.of(jdk.feature())) {
                cells.add(new Cell(jdk, gc, Mode.TIERED, kind));
            }
            for (Mode mode : Mode.values()) {
                if (mode != Mode.TIERED) {
                    cells.add(new Cell(jdk, Gc.G1, mode, kind));
                }
            }
        }
    }

    private int since() {
        return kind.setup().since();
    }

    String name() {
        String[] parts = {String.valueOf(jdk.feature()), gc.name(), mode.name(), kind.label()};
        return String.join("-", parts).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns why it cannot be run; empty if it can. */
    String obstacle() {
        return kind == Kind.JAVAC && !jdk.hasCompiler()
                ? "there is no javac in " + jdk.home()
                : mode.obstacle(jdk);
    }

    List<String> flags() {
        List<String> flags = new ArrayList<>(gc.flags());
        flags.addAll(mode.flags(jdk));
        flags.addAll(kind.setup().flags());
        return flags;
    }
}

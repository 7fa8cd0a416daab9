// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.SamplerOptions;
import io.heapsampler.support.Labels;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The JVM in which all known holders are made: queries them, goes each path step by step by
 * reflection, and prints a line for each case. Then once more after a collection.
 */
public final class CaseMain {

    private static final int MOST_TRACKED = 1 << 18;

    /** A case, and a weak reference of JNI to its target, which a finalizer does not clear. */
    private record Made(Case known, long handle) {}

    private final Way way;
    private final List<Made> made = new ArrayList<>();

    /** Keeps targets that nothing else keeps, until a snapshot has them. */
    private final List<Object> anchors = new ArrayList<>();

    private int faults;

    private CaseMain(Way way) {
        this.way = way;
    }

    /**
     * Checks all cases.
     *
     * @param arguments the way; then, to compare with a heap dump, a file for it and one for the
     *     snapshot
     */
    public static void main(String[] arguments) throws Exception {
        CaseMain main = new CaseMain(Labels.parse(Way.class, arguments[0]));
        List<Case> cases = Cases.of(Runtime.version().feature());
        for (Case known : cases) {
            known.prepare();
        }
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(0)
                        .maxOverhead(1)
                        .maxTracked(MOST_TRACKED)
                        .build());
        for (Case known : cases) {
            main.made.add(main.make(known));
        }
        HeapSampler.stop();
        HeapSnapshot snapshot = Question.snapshot();
        main.anchors.clear();
        HeldBy held = main.check(snapshot, "first", false);
        if (arguments.length > 1) {
            dump(held, java.nio.file.Path.of(arguments[1]), java.nio.file.Path.of(arguments[2]));
        }
        System.gc();
        main.check(snapshot, "collected", true);
        main.made.forEach(each -> each.known.release());
        System.exit(main.faults == 0 ? 0 : 1);
    }

    /** In a frame of its own, so that no local variable here holds the target. */
    private Made make(Case known) throws Exception {
        Object target = known.hold();
        if (known.isDoomed()) {
            anchors.add(target);
        }
        return new Made(known, Native.newWeakGlobal(target));
    }

    private HeldBy check(HeapSnapshot snapshot, String round, boolean isCollected)
            throws Exception {
        HeldBy held = Question.withLongPasses(way).madeBy(snapshot, "holders.cases.");
        List<Path> paths = HeldFile.paths(held.snapshot());
        System.out.printf(
                "holders: round=%s paths=%d %s%n", round, paths.size(), Question.figures(held));
        if (!Question.wentBy(held, way)) {
            fault(round, "way", "not " + way + " but " + held.way());
        }
        for (Made each : made) {
            List<Path> own =
                    paths.stream()
                            .filter(path -> each.known.isTarget(path.className(), path.size()))
                            .toList();
            String fault = fault(each, own, isCollected);
            if (fault.isEmpty()) {
                System.out.printf("case %s %s ok %s%n", round, each.known.name(), own);
            } else {
                fault(round, each.known.name(), fault);
            }
        }
        checkOthers(round, paths);
        return held;
    }

    private void fault(String round, String name, String text) {
        faults++;
        System.out.printf("case %s %s FAILED %s%n", round, name, text);
    }

    /** Returns what is wrong with the path of a case; empty if nothing is. */
    private String fault(Made made, List<Path> paths, boolean isCollected) throws Exception {
        if (made.known.isDoomed()) {
            return faultOfDoomed(paths, isCollected);
        }
        Object target = Native.get(made.handle);
        if (target == null && made.known.mayBeCleared()) {
            return faultOfDoomed(paths, isCollected);
        }
        if (target == null) {
            return "the target is dead";
        }
        if (paths.size() != 1) {
            return paths.size() + " paths to it: " + paths;
        }
        Path path = paths.get(0);
        if (way == Way.PASSES && path.isOneOf(made.known.missedByPasses())) {
            return "";
        }
        if (!path.isOneOf(made.known.paths())) {
            return path + ", not one of " + made.known.paths();
        }
        if (made.known.thread() != 0 && path.thread() != made.known.thread()) {
            return "thread " + path.thread() + ", not " + made.known.thread() + ", in " + path;
        }
        return arrives(path, target, made.known.atRoot());
    }

    /** A collection may come at any time. */
    private String faultOfDoomed(List<Path> paths, boolean isCollected) {
        Set<String> right = new HashSet<>(Set.of("DIED"));
        if (!isCollected) {
            right.add(Case.ONLY_WEAK);
        }
        if (!isCollected && way == Way.PASSES) {
            made.forEach(each -> right.addAll(each.known.missedByPasses()));
        }
        boolean isRight = paths.stream().allMatch(path -> path.isOneOf(right));
        return isRight ? "" : "nothing holds it, but: " + paths;
    }

    private static String arrives(Path path, Object target, Object atRoot) throws Exception {
        try {
            LiveHeap heap = new LiveHeap(it -> List.of(atRoot == null ? target : atRoot));
            Set<Object> ends = new Walker<>(heap).follow(path);
            return ends.contains(target) ? "" : "the path leads to another object: " + path;
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    /** Paths of all other objects that the cases have made exist, where reflection shows them. */
    private void checkOthers(String round, List<Path> paths) throws Exception {
        int checked = 0;
        int unseen = 0;
        Collection<Object> none = List.of();
        LiveHeap heap = new LiveHeap(path -> none);
        Walker<Object> walker = new Walker<>(heap);
        Set<Object> known = new HashSet<>();
        for (Path path : paths) {
            if (path.outcome() != Path.Outcome.HELD || !known.add(path.way())) {
                continue;
            }
            if (!isShown(heap, path)) {
                unseen++;
                continue;
            }
            checked++;
            try {
                walker.follow(path);
            } catch (IllegalStateException e) {
                fault(round, "(other)", path.className() + ": " + e.getMessage());
            }
        }
        System.out.printf("others: round=%s checked=%d unseen=%d%n", round, checked, unseen);
    }

    /**
     * Reflection does not show constant pools; some of the JDK's own structures change at any time.
     */
    private static boolean isShown(LiveHeap heap, Path path) {
        for (Step step : path.steps()) {
            if (step.kind() == Step.Kind.CONSTANT_POOL
                    || step.owner().startsWith("java.lang.invoke.")
                    || step.owner().startsWith("java.util.concurrent.ForkJoin")) {
                return false;
            }
        }
        return switch (path.root()) {
            case STATIC -> heap.hasClass(path.owner());
            case THREAD -> path.thread() != 0;
            default -> false;
        };
    }

    private static void dump(HeldBy held, java.nio.file.Path dump, java.nio.file.Path snapshot)
            throws Exception {
        held.snapshot().writeTo(snapshot);
        Files.deleteIfExists(dump);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpHeap(dump.toString(), true);
    }
}

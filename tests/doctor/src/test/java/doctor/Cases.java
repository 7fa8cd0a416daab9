// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import static io.heapsampler.support.Gc.G1;
import static io.heapsampler.support.Gc.PARALLEL;
import static io.heapsampler.support.Gc.SERIAL;
import static io.heapsampler.support.Gc.SHENANDOAH;
import static io.heapsampler.support.Gc.SHENANDOAH_GENERATIONAL;
import static io.heapsampler.support.Gc.ZGC;
import static io.heapsampler.support.Gc.ZGC_GENERATIONAL;

import io.heapsampler.support.Gc;
import java.util.List;
import java.util.stream.Stream;

/** Every scenario of the doctor and its healthy twins. */
final class Cases {

    /**
     * Pages that were never touched make pauses long at first: not what a healthy case is about.
     */
    private static final String[] ROOMY = {"-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"};

    private static final String[] SMALL_METASPACE = {"-Xmx128m", "-XX:MaxMetaspaceSize=48m"};
    private static final String[] SMALL_DIRECT = {"-Xmx64m", "-XX:MaxDirectMemorySize=64m"};

    /**
     * What comes along under G1 in a heap that is too tight for what lives in it: it finds no room
     * to copy to, and collects all of the heap in a pause.
     */
    private static final String[] G1_GIVES_UP = {
        "gc.degenerated", "gc.evacuation-failure", "pause.long"
    };

    /** As many threads collect on any machine: more would keep up with the allocations. */
    private static final String ONE_COLLECTS = "-XX:ConcGCThreads=1";

    /** What -Xmn does elsewhere: the young generation is left at the first collection of it. */
    private static final String[] TENURED_AT_ONCE = {
        "-XX:+UnlockDiagnosticVMOptions", "-XX:ZTenuringThreshold=0"
    };

    /** From here on ZGC has generations unless it is told to have none. */
    private static final int Z_IS_GENERATIONAL = 23;

    private Cases() {}

    private static boolean isGenerationalZ(Gc gc, int jdk) {
        return gc == ZGC_GENERATIONAL || (gc == ZGC && jdk >= Z_IS_GENERATIONAL);
    }

    static List<Case> all() {
        return Stream.of(
                        sizes(),
                        explicit(),
                        classes(),
                        generations(),
                        pauses(),
                        gaveUp(),
                        outside())
                .flatMap(List::stream)
                .toList();
    }

    static Case named(String name) {
        return all().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    }

    private static List<Case> sizes() {
        return List.of(
                Case.told("resize", Ramp::hurried, "heap.resize")
                        .flags("-Xms8m", "-Xmx512m")
                        .with("heap.resize", "pause.long")
                        .on(SERIAL, PARALLEL, G1),
                Case.healthy("resize-healthy", Ramp::resting).flags(ROOMY),
                Case.healthy("metaspace-healthy", () -> Loaders.startingUp(1_000))
                        .flags("-Xmx256m", "-XX:MetaspaceSize=64m"));
    }

    private static List<Case> explicit() {
        return List.of(
                Case.sick("explicit", ExplicitGc::new, "gc.explicit")
                        .by("doctor.ExplicitGc.cleanUp")
                        .flags("-Xmx64m"),
                Case.sick("explicit-concurrent", ExplicitGc::new, "gc.explicit")
                        .by("doctor.ExplicitGc.cleanUp")
                        .flags("-Xmx64m", "-XX:+ExplicitGCInvokesConcurrent")
                        .on(G1),
                Case.told("dropped", DirectBuffers::dropped, "direct.pressure")
                        .by("doctor.DirectBuffers.run")
                        .flags(SMALL_DIRECT),
                Case.sick("dropped-in-vain", DirectBuffers::dropped, "direct.pressure")
                        .flags(SMALL_DIRECT)
                        .flags("-XX:+DisableExplicitGC")
                        .with("direct.leak")
                        .on(SERIAL, G1, SHENANDOAH, ZGC));
    }

    private static List<Case> classes() {
        return List.of(
                Case.sick("loaders", Loaders::leaking, "metaspace.leak")
                        .flags(SMALL_METASPACE)
                        .with("leak.growth", "pause.long"),
                Case.sick("loaders-served", Loaders::serving, "metaspace.leak")
                        .by("doctor.Loaders.load")
                        .flags(SMALL_METASPACE)
                        .with("leak.growth", "pause.long"),
                Case.told("churn", Loaders::passing, "class.churn").flags(SMALL_METASPACE));
    }

    private static List<Case> generations() {
        return List.of(
                Case.sick("promotion", () -> new Ring(2_500, 4_096), "promotion.premature")
                        .by("doctor.Ring.run")
                        .flags("-Xms256m", "-Xmx256m", "-Xmn12m")
                        .with("pause.long")
                        .with(G1, G1_GIVES_UP)
                        .on(SERIAL, PARALLEL, G1),
                Case.healthy("promotion-healthy", () -> new Ring(2_500, 4_096))
                        .flags("-Xms256m", "-Xmx256m", "-Xmn160m", "-XX:+AlwaysPreTouch")
                        .on(SERIAL, PARALLEL, G1),
                Case.told(
                                "promotion-concurrent",
                                () -> Ring.resting(4_000, 4_096),
                                "promotion.premature")
                        // What dies young, and what was promoted first, look the same there.
                        .saying("do not show which promoted objects died, so no site is named")
                        .flags("-Xmx256m")
                        .flags(TENURED_AT_ONCE)
                        .on(Cases::isGenerationalZ),
                Case.healthy("promotion-concurrent-healthy", () -> Ring.resting(4_000, 4_096))
                        .flags(ROOMY)
                        .without("promotion.premature")
                        .on((gc, jdk) -> isGenerationalZ(gc, jdk) || gc == SHENANDOAH_GENERATIONAL),
                Case.healthy("filled-healthy", () -> new FilledOnce(10_000, 4_096))
                        .flags("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch"),
                Case.sick("old", () -> Cache.bounded(15_000), "old.frequent")
                        .by("doctor.Cache.put")
                        .flags("-Xmx128m", "-Xmn16m")
                        .with("pause.long")
                        .with(G1, G1_GIVES_UP)
                        .on(SERIAL, PARALLEL, G1),
                Case.sick("old-concurrent", () -> Cache.bounded(15_000), "old.frequent")
                        .by("doctor.Cache.put")
                        .flags("-Xmx192m", ONE_COLLECTS)
                        .with(ZGC, "gc.stall")
                        .with(ZGC_GENERATIONAL, "gc.stall")
                        .with(SHENANDOAH, "gc.degenerated", "pause.long")
                        .on(ZGC, ZGC_GENERATIONAL, SHENANDOAH),
                // What that cache holds dies within three young cycles of this one, and young.
                Case.sick("old-generational", () -> Sessions.hurried(30_000), "old.frequent")
                        .by("doctor.Sessions.work")
                        .flags("-Xmx256m", ONE_COLLECTS)
                        .with("gc.degenerated", "pause.long")
                        .on(SHENANDOAH_GENERATIONAL),
                Case.sick("leak", Cache::leaking, "leak.growth")
                        .by("doctor.Cache.leak")
                        .saying("tenant=acme")
                        .flags("-Xmx128m")
                        // The cache in it forgets what was promoted.
                        .with("promotion.premature")
                        .with(SERIAL, "pause.long")
                        .with(PARALLEL, "pause.long")
                        .with(G1, G1_GIVES_UP)
                        .with(ZGC, "gc.stall")
                        .with(ZGC_GENERATIONAL, "gc.stall")
                        .with(SHENANDOAH, "gc.degenerated", "pause.long")
                        .with(SHENANDOAH_GENERATIONAL, "gc.degenerated", "pause.long"),
                Case.healthy("cache-healthy", () -> Cache.resting(2_000)).flags(ROOMY));
    }

    private static List<Case> pauses() {
        return List.of(
                Case.sick("references", References::many, "pause.long")
                        .by("doctor.References")
                        // Else G1 makes its young generation smaller until pauses are short.
                        .flags("-Xms1g", "-Xmx1g", "-Xmn512m")
                        .pausing(50)
                        .with("promotion.premature")
                        .on(SERIAL, PARALLEL, G1),
                Case.healthy("references-healthy", References::few).flags(ROOMY),
                Case.sick("live-set", () -> new BigHeap(16_000_000), "pause.long")
                        .by("doctor.BigHeap.run")
                        // Small, so that it is the full collection that takes longest.
                        .flags("-Xms2g", "-Xmx2g", "-Xmn64m")
                        .pausing(100)
                        .on(SERIAL),
                Case.healthy("live-set-healthy", () -> new BigHeap(100_000))
                        .flags("-Xms2g", "-Xmx2g", "-Xmn64m")
                        .pausing(100)
                        .on(SERIAL));
    }

    private static List<Case> gaveUp() {
        return List.of(
                Case.sick("evacuation", () -> Sessions.hurried(20_000), "gc.evacuation-failure")
                        .by("doctor.Sessions.work")
                        .flags("-Xmx128m")
                        .with(G1, G1_GIVES_UP)
                        .with("old.frequent")
                        .on(G1),
                Case.sick("stall", () -> Sessions.hurried(30_000), "gc.stall")
                        .by("doctor.Sessions.work")
                        .flags("-Xmx256m", ONE_COLLECTS)
                        .with("old.frequent")
                        .on(ZGC, ZGC_GENERATIONAL),
                Case.sick("degenerated", () -> Sessions.hurried(35_000), "gc.degenerated")
                        .by("doctor.Sessions.work")
                        .flags("-Xmx256m", ONE_COLLECTS)
                        .with("old.frequent", "pause.long")
                        .on(SHENANDOAH, SHENANDOAH_GENERATIONAL),
                // All of the heap from the beginning: what it begins with hangs on the machine.
                Case.healthy("sessions-healthy", () -> Sessions.resting(256))
                        .flags("-Xms128m", "-Xmx128m"),
                Case.sick("humongous", Humongous::new, "gc.humongous")
                        .by("doctor.Humongous.run")
                        .flags("-Xmx128m", "-XX:G1HeapRegionSize=1m")
                        .with(G1, G1_GIVES_UP)
                        .with("old.frequent")
                        .on(G1),
                Case.healthy("humongous-healthy", Humongous::new)
                        .flags("-Xms1g", "-Xmx1g", "-XX:G1HeapRegionSize=8m")
                        .flags("-XX:+AlwaysPreTouch")
                        .on(G1));
    }

    private static List<Case> outside() {
        return List.of(
                // Its few small owners are sampled by chance only.
                Case.sick("direct", DirectBuffers::leaked, "direct.leak")
                        .flags("-Xmx256m", "-XX:MaxDirectMemorySize=64m"),
                Case.sick("native", () -> new OpenStreams(false), "native.unaccounted")
                        .by("doctor.OpenStreams.open")
                        .flags("-Xmx256m"),
                Case.healthy("native-healthy", () -> new OpenStreams(true)).flags("-Xmx256m"),
                Case.sick("jni", Deflaters::large, "jni.critical")
                        .flags("-Xmx96m")
                        .on((gc, jdk) -> jdk <= 21 && List.of(SERIAL, PARALLEL, G1).contains(gc)),
                Case.healthy("jni-healthy", Deflaters::small)
                        .flags("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch"));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import com.sun.management.ThreadMXBean;
import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.internal.shared.GcCalls;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The state that the {@link GcDoctor}s of this JVM share: the thread that reads the JVM once a
 * second, its timeline and findings, and a hold of the sampler. Safe for use by many threads.
 */
final class JvmWatch implements AutoCloseable {

    /** Clocks that are set, and machines that have slept, are off by more. */
    private static final long SET_MILLIS = 1_000;

    final DoctorOptions options;
    private final History history = new History();
    private final VmClock clock = new VmClock();
    private final JvmSettings settings = JvmSettings.read(HeapSampler.status().collector());
    private final GcCalls calls = new GcCalls();
    private final CollectorListener collectors;
    private final TickReader reader;
    private final Ticks ticks;
    private final SiteWatch sites =
            new SiteWatch(history, clock, this::timeline, () -> HeapSampler.share("doctor"));
    private final CloserLook closerLook;
    private final NativeCalls nativeCalls;
    private final Paced nativeLook;
    private final HoldersLook holders;
    private final LogWatch log;
    final Findings findings = new Findings();
    private final Paced judging = new Paced(this::judge, 5_000, 0.001);
    private final Watcher watcher;

    // Used by the watching thread only.
    private boolean rehearsed;

    private boolean couldSearch;

    /** As counted at the last tick; −1 if unknown. */
    private long markingPauses = -1;

    private JvmWatch(DoctorOptions options) {
        this.options = options;
        double pauseMax = options.values.slo().pauseMaxMillis();
        log = new LogWatch(history, clock, settings, pauseMax, options.values.jvmLog());
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        closerLook = new CloserLook(CloserLook.BUDGET, sites.sites(), HeapSampler::record);
        nativeCalls = new NativeCalls(history, clock, pauseMax, NativeCalls::collections, threads);
        nativeLook = new Paced(nativeCalls::look, 500, 0.002);
        holders =
                new HoldersLook(
                        pauseMax,
                        sites.sites(),
                        judging::hurry,
                        each -> HoldersLook.search(each, HoldersLook.MOST_TIME));
        collectors = new CollectorListener(clock, history, this::heard);
        reader = new TickReader(clock, settings.maxHeap());
        ticks = new Ticks(reader::read, clock, history, this::seen);
        Runnable look = new Paced(sites::look, 10_000, 0.002);
        watcher = new Watcher(ticks, this::readCalls, this::record, look, this::rehearse, judging);
    }

    /** Begins to watch. What has begun is ended where the rest cannot begin. */
    static JvmWatch begin(DoctorOptions options) {
        JvmWatch watch = new JvmWatch(options);
        try {
            watch.begin();
            return watch;
        } catch (RuntimeException | Error e) {
            try (watch) {
                throw e;
            }
        }
    }

    private void begin() {
        collectors.listen();
        if (options.values.sampling()) {
            sites.begin();
        }
        ticks.run();
        watcher.start();
    }

    /** Adds the calls of {@code System.gc()} since the last time, with their callers. */
    private void readCalls() {
        while (calls.advance()) {
            long at = clock.now() - calls.agoMicros() / 1_000;
            double millis = calls.tookMicros() / 1e3;
            List<String> stack = new ArrayList<>();
            for (String frame : calls.stack()) {
                stack.add(frame.intern());
            }
            history.add(new JvmEvent("SystemGC", at, millis, Map.of(), stack));
        }
    }

    private void record() {
        log.look(clock.now());
        nativeLook.run();
        closerLook.advance(clock.now());
        holders.advance(clock.now());
    }

    /** A heap that a collection has left full may not live until the next judgement is due. */
    private void heard(GcEvent collection) {
        log.heard(collection);
        if (collection.kind().isOld() && settings.isNearlyFull((double) collection.oldAfter())) {
            judging.hurry();
        }
    }

    private void seen(Tick tick) {
        log.seen(tick);
        lookForMarking(tick.atMillis());
        collectors.metaspace(tick.metaspaceCommitted() > 0.95 * settings.maxMetaspace());
    }

    /** JDK 17 to 19 count the pauses of G1's markings and do not notify them. */
    private void lookForMarking(long atMillis) {
        boolean isSilent = settings.collector() == GarbageCollector.G1 && settings.feature() < 20;
        long pauses = isSilent ? reader.markingPauses() : -1;
        if (pauses > markingPauses && markingPauses >= 0) {
            history.add(new JvmEvent(LiveSet.MARKED, atMillis, 0, Map.of(), List.of()));
        }
        markingPauses = pauses;
    }

    /**
     * The first duty that takes its time: until then there is nothing to be judged. Without a limit
     * metaspace is never full, and what is rehearsed would only take memory.
     */
    private void rehearse() {
        if (!rehearsed && settings.maxMetaspace() < Long.MAX_VALUE) {
            rehearsed = true;
            Rehearsal.run(settings, sites.sites(), diagnosis());
        }
    }

    private void judge() {
        boolean isSampling = HeapSampler.status().isSampling(); // By this doctor, or by the agent.
        boolean isSearching = isSampling && options.values.holders();
        if (isSearching != couldSearch) {
            couldSearch = isSearching;
            sites.sites().canSearchHolders = isSearching;
        }
        Diagnosis bare = bare();
        bare = sites.refreshFor(bare) ? bare() : bare;
        if (isSearching) {
            holders.update(bare, clock.now());
        }
        Diagnosis judged = findings.kept(holders.added(bare));
        findings.update(judged, clock.now());
        nativeCalls.update(judged.findings(), clock.now());
        boolean mayLook = isSampling && options.values.closerLook();
        List<Finding> wanted = mayLook ? judged.findings() : List.of(); // Open looks also end then.
        closerLook.update(wanted, judged.timeline(), clock.now());
    }

    /** Without holders. */
    private Diagnosis bare() {
        return Rules.judge(timeline(), sites.sites(), options.values.slo());
    }

    Timeline timeline() {
        return history.timeline(settings, wasSet() ? clock.ahead() : 0);
    }

    private boolean wasSet() {
        return Math.abs(clock.ahead()) >= SET_MILLIS;
    }

    /** The last one: nothing will be judged after a search that is awaited now. */
    Diagnosis finalDiagnosis() {
        holders.endWait();
        return diagnosis();
    }

    Diagnosis diagnosis() {
        sites.refresh();
        Diagnosis judged = findings.kept(holders.added(bare()));
        List<String> notes = findings.earlier(judged);
        if (sites.problem() != null) {
            notes.add("No sites: " + sites.problem());
        }
        notes.addAll(closerLook.notes());
        notes.addAll(log.notes());
        if (watcher.failures() > 0) {
            String count = Text.count(watcher.failures(), "check", "checks");
            notes.add(TableRule.note("failed", count, watcher.lastFailure()));
        }
        return judged.with(judged.findings(), notes);
    }

    /** Closes all parts, also where one fails. Allocates nothing: there may be no memory. */
    @Override
    public void close() {
        try (reader;
                holders;
                closerLook;
                log;
                watcher;
                collectors;
                sites) {
            return; // They close in the reverse order.
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.Holder;
import io.heapsampler.internal.shared.DaemonThreads;
import io.heapsampler.internal.shared.PrintableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Searches the references that hold the objects of a finding about live memory, and adds them to
 * the finding as evidence. One search runs at a time, on a thread of its own, because it takes
 * seconds; the next search about the same finding begins ten minutes later at the earliest. There
 * is no search where the pause that it would cause is longer than the service allows. Safe for use
 * by many threads.
 */
final class HoldersLook implements AutoCloseable {

    /** The next search about the same finding begins this much later at the earliest. */
    static final long APART_MILLIS = 600_000;

    /** The evidence of a leak that is not yet a warning because its search has not ended. */
    static final String SOFT_AWAITED = "soft.awaited";

    /** The evidence of one that an earlier search has shown to be softly reachable. */
    static final String SOFT_SHARE = "soft.share";

    static final String LEAK = "leak.growth";
    private static final Set<String> ABOUT = Set.of(LEAK, "metaspace.leak", "old.frequent");

    static final Duration MOST_TIME = Duration.ofSeconds(20);

    /** The most that a warning waits for searches; with the second until the next look, 10 s. */
    static final long MOST_WAIT_MILLIS = 9_000;

    /** ZGC's heap is walked in this process, of which no part of the doctor may take more. */
    private static final long MOST_MEMORY_INSIDE = 32L << 20;

    private static final int HOLDERS = 3;
    private static final int END = 3; // References at each end of a long path.
    private static final double MAIN = 0.9; // Of a holder: then its child is the same holder.
    private static final double MUCH = 0.1; // Of the bytes: more without a holder is reported.

    /** What a copy of the process costs; see {@code native/doc/holders.md}. */
    private static final double PAUSE_MILLIS = 10;

    private static final double PAUSE_MILLIS_PER_MB = 0.06;

    /** What a search found about some sites; a note if it found nothing. */
    private record Answer(
            List<SiteEvidence> sites, List<Evidence> evidence, @Nullable String note) {}

    private static final Answer NONE = new Answer(List.of(), List.of(), null);

    private final double pauseMax;
    private final SiteBook book;
    private final Runnable ended;
    private final Function<List<SiteEvidence>, HeldBy> search;

    // Guarded by this.
    private final Map<String, Long> begun = new HashMap<>();
    private final Map<String, Answer> answers = new HashMap<>();
    private @Nullable Thread searching;
    private boolean closed;

    /** How long the warning about a leak has waited until the last judgement, in total. */
    private long waited;

    private boolean isWaiting;

    /** The time of the last judgement of a leak, or of its absence at the beginning. */
    private long leakSeen;

    /** Warnings do not wait until the leak has been forgotten. */
    private boolean isWaitOver;

    /**
     * {@code pauseMaxMillis} is the longest pause that the service allows; the book gets what is
     * softly reachable; {@code ended} is called at the end of each search, with {@link #search}.
     */
    HoldersLook(
            double pauseMaxMillis,
            SiteBook book,
            Runnable ended,
            Function<List<SiteEvidence>, HeldBy> search) {
        this.pauseMax = pauseMaxMillis;
        this.book = book;
        this.ended = ended;
        this.search = search;
    }

    /** Begins a search if a finding requires one and none is under way; now may be of any clock. */
    synchronized void update(Diagnosis judged, long now) {
        countWait(judged, now);
        for (Finding finding : judged.findings()) { // No lambda: it needs metaspace.
            String id = finding.id();
            boolean isAwaited = finding.has(SOFT_AWAITED);
            long apart = isAwaited ? MOST_TIME.toMillis() : APART_MILLIS;
            boolean isDue = now - begun.getOrDefault(id, now - apart) >= apart;
            boolean isWarning = finding.severity() != Severity.INFO || finding.has(SOFT_SHARE);
            boolean isMeant = ABOUT.contains(id) && (isWarning || isAwaited);
            boolean hasSites = !finding.sites().isEmpty();
            if (isDue && isMeant && hasSites && searching == null && !closed) {
                begun.put(id, now);
                answers.remove(id); // It may be of a leak that has ended.
                begin(id, finding.sites(), judged);
            }
        }
    }

    /** A finding that goes and comes again soon is the same, and has waited before. */
    private void countWait(Diagnosis judged, long now) {
        Finding leak = null;
        for (Finding finding : judged.findings()) {
            leak = finding.id().equals(LEAK) ? finding : leak;
        }
        waited += isWaiting ? now - leakSeen : 0;
        isWaiting = leak != null && leak.has(SOFT_AWAITED);
        if (leak != null) {
            leakSeen = now;
        } else if (now - leakSeen > Findings.FORGET_MILLIS) {
            waited = 0;
            if (isWaitOver) {
                isWaitOver = false;
                book.canSearchHolders = !closed;
            }
        }
        advance(now);
    }

    /** Ends a wait that has become too long; to be called once a second. */
    synchronized void advance(long now) {
        if (isWaiting && (isWaitOver || waited + now - leakSeen >= MOST_WAIT_MILLIS)) {
            endWait();
        }
    }

    /** Lets warnings about this leak come without a search, from the next judgement on. */
    synchronized void endWait() {
        isWaitOver = true;
        isWaiting = false;
        giveUp(LEAK);
    }

    synchronized boolean isSearching() {
        return searching != null;
    }

    private void begin(String id, List<SiteEvidence> sites, Diagnosis judged) {
        try {
            double pause = pause(judged);
            if (pause > pauseMax) {
                giveUp(id);
                none(id, TableRule.note("held.not", id, Text.millis(pause), Text.millis(pauseMax)));
                return;
            }
            searching = DaemonThreads.of(() -> run(id, sites), "heapsampler-doctor-holders");
            searching.start();
        } catch (VirtualMachineError | LinkageError e) { // Memory has run out.
            failed(id, e);
        }
    }

    /** In milliseconds. The stops in which ZGC's heap is walked are short at any size. */
    private static double pause(Diagnosis judged) {
        List<Tick> ticks = judged.timeline().ticks();
        long resident = ticks.isEmpty() ? 0 : ticks.get(ticks.size() - 1).resident();
        boolean isZ = isZ(judged.timeline().settings().collector());
        return PAUSE_MILLIS + (isZ ? 0 : PAUSE_MILLIS_PER_MB * resident / 1e6);
    }

    private static boolean isZ(GarbageCollector collector) {
        return collector == GarbageCollector.Z || collector == GarbageCollector.Z_GENERATIONAL;
    }

    private void run(String id, List<SiteEvidence> sites) {
        try {
            HeldBy held = search.apply(sites);
            Answer answer = new Answer(sites, evidence(held), null);
            synchronized (this) {
                searching = null;
                answers.put(id, answer);
                if (id.equals(LEAK)) {
                    book.softly = Softly.of(sites, held);
                    book.canSearchHolders = !closed && !isWaitOver;
                }
            }
            ended.run();
        } catch (RuntimeException | Error e) { // No memory, or no way.
            failed(id, e);
        }
    }

    /** Throws nothing: an uncaught error may end the application. */
    private synchronized void failed(String id, Throwable e) {
        searching = null;
        answers.remove(id);
        giveUp(id);
        try {
            none(id, TableRule.note("held.unknown", id, Text.reason(e)));
        } catch (RuntimeException | Error worse) {
            return; // There is no memory for a note.
        }
    }

    private void none(String id, String why) {
        answers.put(id, new Answer(List.of(), List.of(), why));
    }

    /** No warning waits any more. Allocates nothing. */
    private void giveUp(String id) {
        if (id.equals(LEAK)) {
            book.canSearchHolders = false;
            ended.run();
        }
    }

    /** Searches for the holders at the lines, for this time at most. */
    static HeldBy search(List<SiteEvidence> named, Duration mostTime) {
        HeapSnapshot snapshot = HeapSampler.snapshot();
        List<HeapSite> sites =
                snapshot.sites().stream()
                        .filter(site -> site.live().samples() > 0)
                        .filter(it -> Places.isAmong(it.className(), it.stack(), named))
                        .toList();
        if (sites.isEmpty()) {
            throw new IllegalStateException("no object of the sites named is alive and sampled.");
        }
        HeldByOptions options = HeldByOptions.ofSites(sites).maxTime(mostTime);
        boolean isZ = isZ(snapshot.collector());
        return snapshot.heldBy(isZ ? options.maxMemory(MOST_MEMORY_INSIDE) : options);
    }

    // ---- The answer ----

    private static List<Evidence> evidence(HeldBy held) {
        double total = held.total().bytes().value();
        if (!(total > 0)) {
            throw new IllegalStateException("the objects of the sites named died meanwhile.");
        }
        String causes = causes(held);
        if (held.holders().isEmpty()) {
            throw new IllegalStateException(TableRule.note("held.none", causes));
        }
        List<Evidence> evidence = new ArrayList<>();
        for (Holder root : held.holders().stream().limit(HOLDERS).toList()) {
            double share = root.held().bytes().value() / total;
            String samples = Text.count(root.held().samples(), "sample", "samples");
            String text = TableRule.note("held.by", path(root), Text.share(share), samples);
            evidence.add(new Evidence("held.by", share, "share", text));
        }
        double missing = 1;
        for (Evidence each : evidence) {
            missing -= each.value();
        }
        if (missing >= MUCH) {
            String text = TableRule.note("held.by.others", Text.share(missing), causes);
            evidence.add(new Evidence("held.by.others", missing, "share", text));
        }
        double pause = held.longestPause().toNanos() / 1e6;
        String text = TableRule.note("held.pause", Text.millis(pause));
        evidence.add(new Evidence("held.pause", pause, "ms", text));
        return evidence;
    }

    /** Why paths are missing, in parentheses; empty if none is. */
    private static String causes(HeldBy held) {
        List<String> causes =
                held.unresolved().entrySet().stream()
                        .filter(each -> each.getValue().samples() > 0)
                        .map(each -> each.getKey().toString())
                        .toList();
        return causes.isEmpty() ? "" : " (" + String.join(", ", causes) + ")";
    }

    /** From the root to where the paths divide. */
    private static String path(Holder root) {
        List<String> texts = new ArrayList<>();
        double all = root.held().bytes().value();
        List<Holder> next = List.of(root);
        while (!next.isEmpty() && isMain(next.get(0), all)) {
            texts.add(next.get(0).text());
            next = next.get(0).children();
        }
        if (texts.size() > 2 * END) {
            texts.subList(END, texts.size() - END).clear();
            texts.add(END, "…");
        }
        return PrintableText.of(String.join(" → ", texts));
    }

    private static boolean isMain(Holder holder, double all) {
        return holder.site().isEmpty() && holder.held().bytes().value() >= MAIN * all;
    }

    /**
     * Returns the diagnosis with the holders that are known, and with what prevented a search. An
     * answer is for a finding that names the same site first: later others may be the cause.
     */
    synchronized Diagnosis added(Diagnosis judged) {
        List<Finding> findings = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (Finding f : judged.findings()) {
            Answer answer = answers.getOrDefault(f.id(), NONE);
            List<Evidence> evidence = new ArrayList<>(f.evidence());
            if (Places.isFirstAmong(f.sites(), answer.sites())) {
                evidence.addAll(answer.evidence());
            }
            if (answer.note() != null) {
                notes.add(answer.note());
            }
            findings.add(f.with(f.severity(), evidence, f.notFired(), f.explainedBy()));
        }
        return judged.with(findings, notes);
    }

    /** Begins no more searches. The one that is under way ends by itself, within its time. */
    @Override
    public synchronized void close() {
        closed = true;
        book.canSearchHolders = false; // No warning waits any more.
    }
}

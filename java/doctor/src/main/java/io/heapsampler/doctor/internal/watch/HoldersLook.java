// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.GarbageCollector;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.Holder;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.rules.Judgement;
import io.heapsampler.doctor.internal.sites.Places;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.Tick;
import io.heapsampler.internal.shared.DaemonThreads;
import io.heapsampler.internal.shared.PrintableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Searches the references that hold the objects of a finding about live memory, and adds them to
 * the finding as evidence; those of class loaders also where none was sampled. One search runs at a
 * time, on a thread of its own, because it takes seconds; the next search about the same finding
 * begins ten minutes later at the earliest. There is no search where the pause that it would cause
 * is longer than the service allows. Safe for use by many threads.
 */
public final class HoldersLook implements AutoCloseable {

    /** The next search about the same finding begins this much later at the earliest. */
    static final long APART_MILLIS = 600_000;

    private static final Set<String> ABOUT =
            Set.of("leak.growth", "metaspace.leak", "old.frequent");

    private static final Duration MOST_TIME = Duration.ofSeconds(20);

    /** ZGC's heap is walked in this process, of which no part of the doctor may take more. */
    private static final long MOST_MEMORY_INSIDE = 32L << 20;

    private static final int HOLDERS = 3;
    private static final int REFERENCES = 6; // Of a path; the middle of a longer one is left out.
    private static final double MAIN = 0.9; // Of a holder: then its child is the same holder.
    private static final double MUCH = 0.1; // Of the bytes: more without a holder is reported.

    /** What a copy of the process costs; see {@code native/doc/holders.md}. */
    private static final double PAUSE_MILLIS = 10;

    private static final double PAUSE_MILLIS_PER_MB = 0.06;

    private static final String TOO_LONG =
            """
            The holders of {} were not searched: the search would stop the application for about \
            {}, and pauseMax is {}. The command heapsampler heldby searches them on demand.\
            """;

    /** What a search found about some sites. */
    private record Answer(List<SiteEvidence> sites, List<Evidence> evidence) {}

    private final double pauseMax;
    private final Function<List<SiteEvidence>, HeldBy> search;

    // Guarded by this.
    private final Map<String, Long> begun = new HashMap<>();
    private final Map<String, Answer> answers = new HashMap<>();
    private final Map<String, String> notes = new HashMap<>();
    private final Set<String> news = new HashSet<>();

    /** Findings that have opened again with their holders, and when they were last present. */
    private final Map<String, Long> reported = new HashMap<>();

    private long lastMillis;
    private @Nullable Thread searching;
    private boolean closed;

    /** {@code pauseMaxMillis} is the longest pause that the service allows. */
    public HoldersLook(double pauseMaxMillis) {
        this(pauseMaxMillis, HoldersLook::search);
    }

    /** With another search, for tests. */
    HoldersLook(double pauseMaxMillis, Function<List<SiteEvidence>, HeldBy> search) {
        this.pauseMax = pauseMaxMillis;
        this.search = search;
    }

    /**
     * Begins a search if a finding requires one and none is under way.
     *
     * @param now by the clock of the timeline, in milliseconds since 1970
     * @return the ids of the warnings whose holders have been found; each once for as long as the
     *     finding lasts, because later searches only confirm the first
     */
    public synchronized List<String> update(Judgement judged, long now) {
        for (int i = 0; searching == null && !closed && i < judged.findings().size(); i++) {
            Finding finding = judged.findings().get(i);
            long earliest = begun.getOrDefault(finding.id(), now - APART_MILLIS) + APART_MILLIS;
            if (isWarned(finding) && isAbout(finding) && now >= earliest) {
                begun.put(finding.id(), now);
                begin(finding, judged);
            }
        }
        return found(judged, now);
    }

    /** Class loaders can be searched without samples. */
    private static boolean isAbout(Finding finding) {
        boolean hasTargets = !finding.sites().isEmpty() || finding.id().equals("metaspace.leak");
        return ABOUT.contains(finding.id()) && hasTargets;
    }

    private static boolean isWarned(Finding finding) {
        return finding.severity() != Severity.INFO;
    }

    /** A finding that comes again within the time of {@link Findings} is the same. */
    private List<String> found(Judgement judged, long now) {
        long forget = Math.max(Findings.FORGET_MILLIS, now - lastMillis);
        lastMillis = now;
        List<String> found = new ArrayList<>();
        for (Finding finding : judged.findings()) { // No lambda: it needs metaspace.
            String id = finding.id();
            Long seen = reported.get(id);
            boolean isReported = seen != null && now - seen <= forget;
            boolean isShown = isWarned(finding) && isAbout(answers.get(id), finding);
            if (!isReported && isShown && news.contains(id)) {
                found.add(id);
            }
            if (isReported || found.contains(id)) {
                reported.put(id, now);
                news.remove(id);
            }
        }
        return found;
    }

    synchronized boolean isSearching() {
        return searching != null;
    }

    private void begin(Finding finding, Judgement judged) {
        notes.remove(finding.id());
        double pause = pause(judged, finding.sites().isEmpty());
        if (pause > pauseMax) {
            String limit = Text.millis(pauseMax);
            none(finding.id(), Text.of(TOO_LONG, finding.id(), Text.millis(pause), limit));
            return;
        }
        try {
            boolean isZ = isZ(judged.timeline().settings().collector());
            Runnable work = () -> run(finding.id(), finding.sites(), isZ);
            searching = DaemonThreads.of(work, "heapsampler-doctor-holders");
            searching.start();
        } catch (VirtualMachineError | LinkageError e) { // Memory has run out.
            searching = null;
            failed(finding.id(), e);
        }
    }

    /**
     * In milliseconds. The stops in which ZGC's heap is walked are short at any size; the one in
     * which class loaders are listed is not.
     */
    private static double pause(Judgement judged, boolean isOfLoaders) {
        boolean isZ = isZ(judged.timeline().settings().collector());
        List<Tick> ticks = judged.timeline().ticks();
        long resident = ticks.isEmpty() ? 0 : ticks.get(ticks.size() - 1).resident();
        long used = ticks.isEmpty() ? 0 : ticks.get(ticks.size() - 1).heapUsed();
        double pause = PAUSE_MILLIS + (isZ ? 0 : PAUSE_MILLIS_PER_MB * resident / 1e6);
        return isOfLoaders ? Math.max(pause, LoaderHolders.pauseMillis(used, isZ)) : pause;
    }

    private static boolean isZ(GarbageCollector collector) {
        return collector == GarbageCollector.Z || collector == GarbageCollector.Z_GENERATIONAL;
    }

    private void run(String id, List<SiteEvidence> sites, boolean isZ) {
        try {
            List<Evidence> evidence =
                    sites.isEmpty()
                            ? LoaderHolders.search(limited(HeldByOptions.all(), isZ))
                            : evidence(search.apply(sites));
            synchronized (this) {
                searching = null;
                answers.put(id, new Answer(sites, evidence));
                news.add(id);
            }
        } catch (RuntimeException | Error e) { // No memory, or no way.
            synchronized (this) {
                searching = null;
                failed(id, e);
            }
        }
    }

    /** Throws nothing: an uncaught error may end the application. */
    private void failed(String id, Throwable e) {
        answers.remove(id);
        try {
            none(id, Text.of("The holders of {} are unknown: {}", id, Text.reason(e)));
        } catch (RuntimeException | Error worse) {
            return; // There is no memory for a note.
        }
    }

    private void none(String id, String why) {
        answers.remove(id);
        notes.put(id, why);
    }

    private static HeldBy search(List<SiteEvidence> named) {
        HeapSnapshot snapshot = HeapSampler.snapshot();
        List<HeapSite> sites =
                snapshot.sites().stream()
                        .filter(site -> site.live().samples() > 0)
                        .filter(site -> named.stream().anyMatch(each -> Places.isAt(site, each)))
                        .toList();
        if (sites.isEmpty()) {
            throw new IllegalStateException("no object of the sites named is alive and sampled.");
        }
        HeldByOptions options = HeldByOptions.ofSites(sites);
        return snapshot.heldBy(limited(options, isZ(snapshot.collector())));
    }

    private static HeldByOptions limited(HeldByOptions options, boolean isZ) {
        HeldByOptions limited = options.maxTime(MOST_TIME);
        return isZ ? limited.maxMemory(MOST_MEMORY_INSIDE) : limited;
    }

    // ---- The answer ----

    private static List<Evidence> evidence(HeldBy held) {
        double total = held.total().bytes().value();
        if (!(total > 0)) {
            throw new IllegalStateException("the objects of the sites named died meanwhile.");
        }
        String causes = causes(held);
        if (held.holders().isEmpty()) {
            String text = "the search found no path to the objects{}.";
            throw new IllegalStateException(Text.of(text, causes));
        }
        List<Evidence> evidence = new ArrayList<>();
        for (Holder root : held.holders().stream().limit(HOLDERS).toList()) {
            double share = root.held().bytes().value() / total;
            String text =
                    Text.of(
                            "{} holds {} of the live bytes of these sites, by {}.",
                            PrintableText.of(path(root)),
                            Text.share(share),
                            Text.count(root.held().samples(), "sample", "samples"));
            evidence.add(new Evidence("held.by", share, "share", text));
        }
        double missing = 1;
        for (Evidence each : evidence) {
            missing -= each.value();
        }
        if (missing >= MUCH) {
            String text = "{} of these bytes have other holders, or unknown ones{}.";
            text = Text.of(text, Text.share(missing), causes);
            evidence.add(new Evidence("held.by.others", missing, "share", text));
        }
        double pause = held.longestPause().toNanos() / 1e6;
        String text = "The search for holders stopped the application for {}.";
        evidence.add(new Evidence("held.pause", pause, "ms", Text.of(text, Text.millis(pause))));
        return evidence;
    }

    /** Why paths are missing, in parentheses; empty if none is. */
    private static String causes(HeldBy held) {
        List<String> causes = new ArrayList<>();
        held.unresolved()
                .forEach(
                        (cause, amount) -> {
                            if (amount.samples() > 0) {
                                causes.add(cause.toString());
                            }
                        });
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
        if (texts.size() > REFERENCES) {
            texts.subList(REFERENCES / 2, texts.size() - REFERENCES / 2).clear();
            texts.add(REFERENCES / 2, "…");
        }
        return String.join(" → ", texts);
    }

    private static boolean isMain(Holder holder, double all) {
        return holder.site().isEmpty() && holder.held().bytes().value() >= MAIN * all;
    }

    /** Returns the judgement with the holders that are known, and with what prevented a search. */
    public synchronized Judgement added(Judgement judged) {
        List<Finding> findings = new ArrayList<>();
        List<String> more = new ArrayList<>();
        for (Finding finding : judged.findings()) {
            Answer answer = answers.get(finding.id());
            findings.add(
                    answer != null && isAbout(answer, finding)
                            ? with(finding, answer.evidence())
                            : finding);
            String note = notes.get(finding.id());
            if (note != null) {
                more.add(note);
            }
        }
        return judged.with(findings, more);
    }

    /** Since the search, other sites may have become the cause. */
    private static boolean isAbout(@Nullable Answer answer, Finding finding) {
        if (answer != null && answer.sites().isEmpty()) {
            return finding.sites().isEmpty();
        }
        for (SiteEvidence site : answer == null ? List.<SiteEvidence>of() : answer.sites()) {
            if (!finding.sites().isEmpty() && Places.isAt(finding.sites().get(0), site)) {
                return true;
            }
        }
        return false;
    }

    private static Finding with(Finding f, List<Evidence> more) {
        List<Evidence> evidence = new ArrayList<>(f.evidence());
        evidence.addAll(more);
        return new Finding(
                f.id(),
                f.severity(),
                f.title(),
                f.startedAt(),
                f.endedAt(),
                f.collector(),
                evidence,
                f.sites(),
                f.callers(),
                f.notFired(),
                f.refuters(),
                f.advice(),
                f.explainedBy());
    }

    /** Begins no more searches. The one that is under way ends by itself, within its time. */
    @Override
    public synchronized void close() {
        closed = true;
    }
}

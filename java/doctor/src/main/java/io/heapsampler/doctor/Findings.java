// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The open findings, and the listeners for new ones. A finding is new if it was absent or less
 * severe in the last two minutes, and once more when a warning has got its holders. Any thread can
 * add and remove listeners; the watching thread calls them. There are no more entries than rules.
 */
final class Findings {

    /** A finding that goes and comes again within this time is the same. */
    static final long FORGET_MILLIS = 120_000;

    /** A rule that fails for more judgements than this is broken, and not short of memory. */
    static final int REPEATS = 60;

    /** A finding of the last judgement, and how many judgements have only repeated it. */
    private record Last(Finding finding, int repeats) {}

    private record Open(Severity severity, boolean isHeld, long seenMillis) {}

    /** Each is one of its own, though several may call the same. */
    private static final class Listener {
        final Object owner;
        final Consumer<Finding> calls;

        Listener(Object owner, Consumer<Finding> calls) {
            this.owner = owner;
            this.calls = calls;
        }
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Used by the watching thread only. */
    private final Map<String, Open> open = new TreeMap<>();

    /** The worst finding of each id above INFO since the start. Guarded by itself. */
    private final Map<String, Finding> worst = new TreeMap<>();

    /** Those of the last judgement. */
    private volatile List<Last> last = List.of();

    /** The time of the last judgement. Used by the watching thread only. */
    private long lastMillis = Long.MIN_VALUE / 2;

    /** Adds a listener; to run what is returned takes it away. */
    Runnable add(Object owner, Consumer<Finding> listener) {
        Listener own = new Listener(owner, listener);
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    /** Takes away the listeners that an owner has added. */
    void removeOf(Object owner) {
        for (Listener each : listeners.toArray(new Listener[0])) { // No lambda: it needs metaspace.
            if (each.owner == owner) {
                listeners.remove(each);
            }
        }
    }

    /** Reports the new findings of a judgement to the listeners. */
    void update(Diagnosis judged, long nowMillis) {
        // Between two judgements that are far apart, a finding is not known to have gone.
        long forget = Math.max(FORGET_MILLIS, nowMillis - lastMillis);
        lastMillis = nowMillis;
        last = last(judged);
        open.values().removeIf(each -> nowMillis - each.seenMillis > forget);
        for (Finding finding : judged.findings()) {
            Open known = open.get(finding.id());
            Open before = known == null ? new Open(Severity.INFO, false, nowMillis) : known;
            boolean isWarning = finding.severity() != Severity.INFO;
            boolean isHeld = before.isHeld || (isWarning && finding.has("held.by"));
            boolean isWorse = known == null || before.severity.compareTo(finding.severity()) < 0;
            boolean isNew = isWorse || isHeld != before.isHeld;
            Severity most = isWorse ? finding.severity() : before.severity;
            open.put(finding.id(), new Open(most, isHeld, nowMillis));
            if (isWarning) {
                synchronized (worst) {
                    worst.merge(finding.id(), finding, Findings::worse);
                }
            }
            if (isNew) {
                listeners.forEach(each -> tell(each.calls, finding));
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // A new judgement may find the same again.
    private List<Last> last(Diagnosis judged) {
        List<Last> now = new ArrayList<>();
        for (Finding finding : judged.findings()) { // No lambda: it needs metaspace.
            int repeats = 0;
            for (Last before : last) {
                repeats = before.finding == finding ? before.repeats + 1 : repeats;
            }
            now.add(new Last(finding, repeats));
        }
        return now;
    }

    /** The later one of two that are as bad. */
    private static Finding worse(Finding before, Finding now) {
        return before.severity().compareTo(now.severity()) <= 0 ? now : before;
    }

    /** Exceptions and errors of a listener must not prevent calls of the others. */
    private static void tell(Consumer<Finding> listener, Finding finding) {
        try {
            listener.accept(finding);
        } catch (Throwable e) {
            try {
                log("A listener failed on " + finding.id(), e);
            } catch (RuntimeException | Error worse) {
                return; // There is no memory for the log.
            }
        }
    }

    /** The log is looked up at the first message: not before the application has set it up. */
    static void log(String message, Throwable e) {
        System.getLogger("io.heapsampler.doctor").log(Level.WARNING, message, e);
    }

    /**
     * In place of rules that have failed, their last findings: nothing shows that they are over. A
     * note says it. A rule that goes on failing is reported as such instead.
     */
    Diagnosis kept(Diagnosis now) {
        List<Finding> findings = new ArrayList<>(now.findings());
        List<Check> checks = new ArrayList<>(now.checks());
        List<String> notes = new ArrayList<>();
        for (Last each : last) { // No lambda: it needs metaspace.
            Finding before = each.finding;
            for (Check check : now.checks()) {
                boolean isSame = check.id().equals(before.id());
                if (isSame && Rules.hasFailed(check) && each.repeats < REPEATS) {
                    checks.remove(check);
                    findings.add(before);
                    notes.add(
                            TableRule.note("repeated", before.id(), before.endedAt(), check.why()));
                }
            }
        }
        findings.sort(Rules.WORST_FIRST);
        return now.with(findings, checks, notes);
    }

    /** Returns one sentence for each earlier finding that is absent or less severe now. */
    List<String> earlier(Diagnosis now) {
        List<String> sentences = new ArrayList<>();
        synchronized (worst) {
            for (Finding it : worst.values()) {
                Finding same = now.finding(it.id()).orElse(null);
                if (same == null || same.severity().compareTo(it.severity()) < 0) {
                    String time = it.startedAt() + " to " + it.endedAt();
                    Object[] values = {it.severity(), it.id(), time, it.title(), place(it)};
                    sentences.add(TableRule.note("earlier", values));
                }
            }
        }
        return sentences;
    }

    private static String place(Finding finding) {
        String place = finding.sites().isEmpty() ? "" : Places.name(finding.sites().get(0).stack());
        return place.isEmpty() ? "" : "; first site: " + place;
    }
}

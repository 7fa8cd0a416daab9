// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Which findings are open, and who wants to hear of new ones. A finding is new when it was not
 * there in the last two minutes, or was less severe. Listeners may come and go on any thread; they
 * are called by the watching one.
 */
final class Findings {

    private static final Logger LOGGER = System.getLogger("io.heapsampler.doctor");

    /** A finding that goes and comes again within this time is the same. */
    static final long FORGET_MILLIS = 120_000;

    /** One that is open. */
    private record Open(Severity severity, long seenMillis) {}

    /** Each is one of its own, though several may call the same. */
    private static final class Listener {
        final Consumer<Finding> calls;

        Listener(Consumer<Finding> calls) {
            this.calls = calls;
        }
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Used by the watching thread only. */
    private final Map<String, Open> open = new HashMap<>();

    /**
     * Adds a listener.
     *
     * @return closing it takes the listener away, once
     */
    GcDoctor.Subscription add(Consumer<Finding> listener) {
        Listener own = new Listener(listener);
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    /** Tells of what is new in a diagnosis. */
    void update(Diagnosis diagnosis, long nowMillis) {
        open.values().removeIf(each -> nowMillis - each.seenMillis > FORGET_MILLIS);
        for (Finding finding : diagnosis.findings()) {
            Open before = open.get(finding.id());
            boolean isNew = before == null || before.severity.compareTo(finding.severity()) < 0;
            Severity most = isNew || before == null ? finding.severity() : before.severity;
            open.put(finding.id(), new Open(most, nowMillis));
            if (isNew) {
                tell(finding);
            }
        }
    }

    private void tell(Finding finding) {
        for (Listener listener : listeners) {
            try {
                listener.calls.accept(finding);
            } catch (RuntimeException e) {
                LOGGER.log(Level.WARNING, "A listener failed on " + finding.id(), e);
            }
        }
    }
}

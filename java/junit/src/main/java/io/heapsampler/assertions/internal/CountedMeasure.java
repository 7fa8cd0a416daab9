// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The JVM's own count. A recording beside it explains; it changes nothing in the count. */
final class CountedMeasure implements Measure {

    private final Scope scope;
    private final long interval;
    private final Window window;

    CountedMeasure(LongSupplier counter, Subject subject, Scope scope, long interval) {
        this.scope = scope;
        this.interval = interval;
        this.window = new Window(counter, subject.empty());
    }

    @Override
    public Measured once(Subject subject, boolean explains) throws Throwable {
        Evidence evidence = explains ? evidenceIfAny() : null;
        boolean isDone = false;
        try {
            long bytes = window.bytes(subject);
            if (evidence != null) {
                evidence.stop();
            }
            isDone = true;
            return Measured.exact(bytes, how(), evidence);
        } finally {
            if (!isDone && evidence != null) {
                evidence.close();
            }
        }
    }

    private @Nullable Evidence evidenceIfAny() {
        try {
            return Evidence.open(scope, interval);
        } catch (NotMeasuredException e) {
            return null; // the verdict does not need it
        }
    }

    private String how() {
        long harness = window.harness();
        return "exact, the JVM's own count "
                + scope.describe()
                + (harness == 0 ? "" : "; " + Bytes.exact(harness) + " of the harness subtracted");
    }
}

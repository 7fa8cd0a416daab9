// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import org.jspecify.annotations.Nullable;

/** A series of runs under observation, and a second one if the first does not decide. */
final class LeakTrial implements Trial {

    private final LeakRule rule;
    private final Settings settings;
    private final int before;
    private long interval;
    private @Nullable LeakLook look;
    private boolean isSecond;

    LeakTrial(LeakRule rule, Settings settings, int before, long interval) {
        this.rule = rule;
        this.settings = settings;
        this.before = before;
        this.interval = interval;
    }

    @Override
    public Layer layer() {
        return Layer.SURVIVORS;
    }

    @Override
    public void run(Subject subject) throws Throwable {
        if (look == null) {
            look = new LeakLook(rule, isSecond ? 0 : before, interval);
        }
        look.run(subject);
        if (look.isDone() && look.better() != interval && !isSecond) {
            interval = look.better();
            isSecond = true;
            look.close();
            look = null;
        }
    }

    @Override
    public boolean needsMore() {
        return look == null || !look.isDone();
    }

    @Override
    public Verdict verdict(String name) throws NotMeasuredException {
        if (look == null || !look.isDone()) {
            throw new NotMeasuredException("There were too few runs.");
        }
        return rule.verdict(look, name, settings);
    }

    @Override
    public void close() {
        if (look != null) {
            look.close();
        }
    }
}

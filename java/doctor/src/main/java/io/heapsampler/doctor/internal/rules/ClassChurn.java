// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.sites.ClassLoaders;
import io.heapsampler.doctor.internal.text.Text;

/** Classes are loaded and unloaded again all the time, as those of scripts are: no leak. */
public final class ClassChurn implements Rule {

    private static final long MANY = 1000;
    private static final double MOSTLY_UNLOADED = 0.5;

    @Override
    public String id() {
        return "class.churn";
    }

    @Override
    public Verdict judge(Situation s) {
        ClassFigures classes = ClassFigures.of(s);
        if (classes.unloaded() < MANY || classes.unloadedShare() < MOSTLY_UNLOADED) {
            return Verdict.quiet(this, classes.text());
        }
        return new FindingBuilder(
                        this,
                        s,
                        Severity.INFO,
                        Text.count(classes.loaded(), "class was", "classes were")
                                + " loaded and "
                                + Text.share(Math.min(classes.unloadedShare(), 1))
                                + " of them unloaded again")
                .window(classes.from(), classes.to())
                .evidence("classes.loaded", classes.loaded(), "count", classes.text())
                .evidence(
                        "classes.unloaded",
                        classes.unloaded(),
                        "count",
                        "Metaspace gets their memory back.")
                .sites(NamedSites.owning(ClassLoaders.makers(s.sites()), "the metaspace"))
                .callers(ClassDefiners.of(s))
                .advice(
                        Advice.Kind.CODE,
                        "If these collections matter, keep generated classes instead of generating"
                                + " them again: scripts, mappers, proxies.")
                .refutedBy("Metaspace grows after collections: then it is a leak.")
                .fired();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.Advice;
import io.heapsampler.doctor.Severity;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.GcEvent;
import java.util.List;

/** Objects of half a region or more each take whole regions of G1, and bring on collections. */
public final class Humongous implements Rule {

    private static final String CAUSE = "G1 Humongous Allocation";

    private static final int EVENTS = 3;
    private static final int MANY_PER_MINUTE = 10;
    private static final double MUCH = 0.2;

    /** Larger regions there are not, up to JDK 17; 512 MiB later. */
    private static final long GREATEST_REGION = 32L << 20;

    @Override
    public String id() {
        return "gc.humongous";
    }

    @Override
    public Verdict judge(Situation s) {
        if (!s.isG1()) {
            return Verdict.hidden(this, s.collectorText() + " has no humongous objects.");
        }
        List<GcEvent> all =
                s.recent(
                        c ->
                                c.kind() == CollectionKind.YOUNG_PAUSE
                                        || c.kind() == CollectionKind.FULL_PAUSE);
        List<GcEvent> caused = all.stream().filter(c -> c.cause().equals(CAUSE)).toList();
        if (caused.size() < EVENTS) {
            return Verdict.quiet(
                    this,
                    Text.count(caused.size(), "collection", "collections")
                            + " with the cause "
                            + CAUSE
                            + "; it takes "
                            + EVENTS
                            + ".");
        }
        double share = (double) caused.size() / all.size();
        Situation.Minute worst = s.worstMinute(caused, c -> 1);
        boolean harms = worst.count() >= MANY_PER_MINUTE && share >= MUCH;
        long region = s.settings().regionSize();
        NamedSites sites = Makers.humongous(s);
        FindingBuilder finding =
                new FindingBuilder(
                        this,
                        s,
                        harms ? Severity.WARNING : Severity.INFO,
                        Text.count(caused.size(), "collection", "collections")
                                + " for objects that need regions of their own");
        finding.window(caused.get(0).atMillis(), caused.get(caused.size() - 1).endMillis());
        finding.evidence(
                "humongous.collections",
                caused.size(),
                "count",
                Text.share(share) + " of all collections have the cause " + CAUSE + ".");
        finding.evidence(
                "region.size",
                region,
                "bytes",
                "A region has "
                        + Text.bytes(region)
                        + ", so an object of "
                        + Text.bytes(region / 2)
                        + " or more takes whole regions; the rest of the last one is lost.");
        Advice advice = advice(region, !sites.sites().isEmpty());
        return finding.sites(sites)
                .advice(advice.kind(), advice.text())
                .refutedBy("With regions of twice the size there are as many.")
                .fired();
    }

    private static Advice advice(long region, boolean isSiteKnown) {
        if (isSiteKnown) {
            return new Advice(
                    Advice.Kind.CODE, "Make smaller arrays at the sites named, or use them again.");
        }
        return region >= GREATEST_REGION
                ? new Advice(
                        Advice.Kind.CODE,
                        "Find the code that makes such large arrays: the sampler has not seen"
                                + " them.")
                : new Advice(
                        Advice.Kind.FLAG,
                        "Try larger regions: -XX:G1HeapRegionSize=" + ((2 * region) >> 20) + "m.");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.GarbageCollector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A timeline under construction: what happens, in the order in which it happens. */
public final class Story {

    public static final long MB = 1 << 20;

    private final GarbageCollector collector;
    private final int feature;
    private final Map<String, String> flags = new HashMap<>();
    private final List<Tick> ticks = new ArrayList<>();
    private final List<GcEvent> collections = new ArrayList<>();
    private final List<JvmEvent> events = new ArrayList<>();
    private final long begin = 1_000_000;

    public long maxHeap = 256 * MB;
    public long initialHeap = 256 * MB;
    public long maxYoung = -1;
    public long regionSize = MB;
    public long maxMetaspace = Long.MAX_VALUE;
    public long maxDirect = 256 * MB;

    public long now = begin;
    public long allocated;
    public long young = 5 * MB;
    public long old = 10 * MB;
    public long survivors = MB;
    public long committed = 256 * MB;
    public long metaspace = 20 * MB;
    public long loaded = 1000;
    public long unloaded;
    public long direct;
    public long resident = 400 * MB;

    /** The resident pages of the heap; −1 if they are not known. */
    public long touched = 256 * MB;

    public double syncMillis;
    public double gcRun = -1;
    public double gcWaited = -1;
    public long completeFrom = Long.MIN_VALUE;

    public Story(GarbageCollector collector, int feature) {
        this.collector = collector;
        this.feature = feature;
        tick();
    }

    public static Story serial() {
        return new Story(GarbageCollector.SERIAL, 17);
    }

    public static Story g1() {
        return new Story(GarbageCollector.G1, 17);
    }

    public Story flag(String name, String value) {
        flags.put(name, value);
        return this;
    }

    /** A second passes, in which these bytes are allocated. */
    public Story second(long bytes) {
        now += 1000;
        allocated += bytes;
        return tick();
    }

    public Story seconds(int count, long bytesEach) {
        for (int i = 0; i < count; i++) {
            second(bytesEach);
        }
        return this;
    }

    public Story millis(long millis) {
        now += millis;
        return this;
    }

    private Story tick() {
        boolean isMeasured = resident >= 0 && touched >= 0;
        ticks.add(
                new Tick(
                        now,
                        allocated,
                        old + young,
                        committed,
                        old,
                        metaspace,
                        metaspace + MB,
                        loaded,
                        unloaded,
                        direct,
                        direct / MB,
                        resident,
                        380 * MB,
                        syncMillis,
                        0,
                        gcRun,
                        gcWaited,
                        isMeasured ? resident - touched - 124 * MB : Tick.UNMEASURED));
        return this;
    }

    /** A young pause that promotes so much; 30 MiB were young before it, the survivors after. */
    public Story young(double millis, long promoted) {
        return young(millis, promoted, "Allocation Failure");
    }

    public Story young(double millis, long promoted, String cause) {
        long before = old;
        old += promoted;
        return add(
                CollectionKind.YOUNG_PAUSE,
                millis,
                cause,
                30 * MB + before,
                survivors + old,
                before);
    }

    /** The old generation is collected, and these bytes are left. */
    public Story full(double millis, long left, String cause) {
        return old(CollectionKind.FULL_PAUSE, millis, left, cause);
    }

    /** The old generation stays as it is; the bytes are those of the whole heap. */
    Story fullOfBoth(double millis, long freed, long left) {
        return add(CollectionKind.FULL_PAUSE, millis, "Ergonomics", left + freed, left, old);
    }

    /** The same, with the bytes of both generations before it. */
    Story full(long young, long oldBefore, double millis, long left, String cause) {
        old = left;
        return add(CollectionKind.FULL_PAUSE, millis, cause, young + oldBefore, left, oldBefore);
    }

    public Story old(CollectionKind kind, double millis, long left, String cause) {
        long before = old;
        old = left;
        return add(kind, millis, cause, before + MB, left, before);
    }

    private Story add(
            CollectionKind kind,
            double millis,
            String cause,
            long heapBefore,
            long heapAfter,
            long oldBefore) {
        collections.add(
                new GcEvent(
                        now,
                        millis,
                        kind,
                        "bean",
                        "action",
                        cause,
                        heapBefore,
                        heapAfter,
                        committed,
                        survivors,
                        oldBefore,
                        old,
                        metaspace));
        now += (long) millis;
        return this;
    }

    public Story event(String type, double millis, Map<String, String> values, String... stack) {
        events.add(new JvmEvent(type, now, millis, values, List.of(stack)));
        return this;
    }

    public Timeline timeline() {
        JvmSettings settings =
                new JvmSettings(
                        feature,
                        collector,
                        maxHeap,
                        initialHeap,
                        maxYoung,
                        regionSize,
                        maxMetaspace,
                        maxDirect,
                        flags);
        return new Timeline(settings, ticks, collections, events, completeFrom, 0);
    }

    /** For the test of a single rule. */
    public Situation situation() {
        return Situation.of(timeline(), new SiteBook(), Slo.DEFAULT);
    }

    public Diagnosis judged() {
        return judged(Slo.DEFAULT);
    }

    public Diagnosis judged(SiteBook sites) {
        return Rules.judge(timeline(), sites, Slo.DEFAULT);
    }

    public Diagnosis judged(Slo slo) {
        return Rules.judge(timeline(), new SiteBook(), slo);
    }

    public static Severity severity(Diagnosis diagnosis, String id) {
        return diagnosis.finding(id).map(Finding::severity).orElse(null);
    }

    /** Returns the rule of a finding. */
    static TableRule rule(String id) {
        return Rules.ALL.stream().filter(rule -> rule.id.equals(id)).findFirst().orElseThrow();
    }

    public static String why(Diagnosis diagnosis, String id) {
        return diagnosis.checks().stream()
                .filter(check -> check.id().equals(id))
                .map(Check::why)
                .findFirst()
                .orElse("it fired");
    }

    /** Not warned of anything. */
    public static void assertSilent(Diagnosis diagnosis) {
        org.assertj.core.api.Assertions.assertThat(diagnosis.findings())
                .filteredOn(finding -> finding.severity() != Severity.INFO)
                .isEmpty();
    }

    public static double value(Finding finding, String evidence) {
        return finding.evidence().stream()
                .filter(each -> each.name().equals(evidence))
                .mapToDouble(Evidence::value)
                .findFirst()
                .orElse(Double.NaN);
    }
}

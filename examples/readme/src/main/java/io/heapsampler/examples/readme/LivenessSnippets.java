// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapHistogram;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.Holder;
import io.heapsampler.Liveness;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SiteDelta;
import io.heapsampler.SiteGrowth;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.Survival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** The README's examples of live objects, growth, and errors of figures. */
public final class LivenessSnippets {

    private LivenessSnippets() {}

    private static void sample() {
        HeapSampler.start(SamplerOptions.builder().interval(16 * 1024).build());
        Work.handleRequest();
    }

    private static void forget() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    public static void live() {
        sample();
        // readme: live
        HeapSnapshot now = HeapSampler.snapshot(SnapshotOptions.afterGc());
        for (HeapSite site : now.topByLive(10)) {
            HeapAmount live = site.live();
            System.out.println(live.bytes() + " bytes live of " + site.className());
        }
        // end
        forget();
    }

    public static void samples() {
        sample();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        // readme: samples
        for (HeapSample sample : snapshot.samples()) {
            if (sample.liveness() == Liveness.LIVE && sample.collectionsSurvived() > 10) {
                System.out.println(sample.className() + " by " + sample.threadName());
            }
        }
        // end
        forget();
    }

    public static void lifetimes() {
        sample();
        HeapSite site = HeapSampler.snapshot().topByAllocated(1).get(0);
        // readme: lifetimes
        HeapHistogram lived = site.lifetimes().byTime();
        OptionalInt median = lived.quantileBucket(0.5); // empty: no object has died yet
        if (median.isPresent()) {
            System.out.println(
                    "half of the dead lived less than "
                            + lived.upperBound(median.getAsInt())
                            + " ms");
        }
        // end
        forget();
    }

    public static void survival() {
        sample();
        HeapSite site = HeapSampler.snapshot().topByAllocated(1).get(0);
        // readme: survival
        Survival survival = site.survival(HeapHistogram.Unit.COLLECTIONS);
        OptionalDouble share = survival.reaching(2); // empty: no object was observed that long
        share.ifPresent(s -> System.out.printf("%.0f %% survive two collections%n", 100 * s));
        // end
        forget();
    }

    public static void growth() {
        sample();
        // readme: growth
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Work.serveForAWhile();
            snapshots.add(HeapSampler.snapshot(SnapshotOptions.afterGc()));
        }
        for (SiteGrowth growth : HeapGrowth.of(snapshots).growing()) {
            System.out.println(
                    growth.className() + " " + growth.bytesPerSecond() + " bytes per second");
            System.out.println(
                    "allocated in " + growth.birthEpochs() + " of the periods between collections");
        }
        // end
        forget();
    }

    public static void diff() {
        sample();
        HeapSampler.stop();
        // readme: diff
        HeapSampler.start(
                SamplerOptions.builder().interval(HeapGrowth.intervalToSee(1024 * 1024)).build());
        HeapSnapshot before = HeapSampler.snapshot(SnapshotOptions.afterGc());
        Work.serveForAWhile();
        HeapSnapshot after = HeapSampler.snapshot(SnapshotOptions.afterGc());
        HeapDiff diff = after.diff(before);
        for (SiteDelta delta : diff.growing()) {
            System.out.println(delta.className() + " grew by " + delta.live().bytes() + " bytes");
            delta.stack().forEach(frame -> System.out.println("    at " + frame));
        }
        diff.notes().forEach(System.out::println); // which growth goes unseen at this interval
        // end
        forget();
    }

    public static void estimate() {
        sample();
        HeapSnapshot snapshot = HeapSampler.snapshot();
        // readme: estimate
        Estimate bytes = snapshot.totals().allocated().bytes();
        System.out.printf("%.0f bytes, give or take %.0f%n", bytes.value(), bytes.standardError());
        System.out.printf("between %.0f and %.0f (95 %%)%n", bytes.low(), bytes.high());
        System.out.printf("from %d samples%n", bytes.samples());
        // end
        forget();
    }

    public static void holders() {
        sample();
        // readme: holders
        HeldBy held =
                HeapSampler.heldBy(HeldByOptions.topByLive(3).maxPause(Duration.ofMillis(50)));
        System.out.println(held.toText(30));
        for (Holder holder : held.holders()) {
            System.out.println(holder.text() + " holds " + holder.held().bytes() + " bytes");
        }
        held.notes().forEach(System.out::println);
        // end
        forget();
    }
}

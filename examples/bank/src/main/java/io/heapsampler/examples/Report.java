// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAges;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapDiff;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SiteDelta;
import io.heapsampler.StackLookups;
import io.heapsampler.ThreadTotals;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints what a snapshot says. */
final class Report {

    private static final int SITES = 5;
    private static final int FRAMES = 3;
    private static final int WIDTH = 88;

    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    /** The sites that allocated most. */
    void allocated(HeapSnapshot snapshot) {
        HeapAmount all = snapshot.totals().allocated();
        heading(
                "Top allocation sites of %s in all, from %s samples in %s",
                bytes(all.bytes()),
                Human.count(all.samples()),
                Human.duration(snapshot.duration()));
        row("bytes (95 %)", "objects (95 %)", "of all", "class");
        for (HeapSite site : snapshot.topByAllocated(SITES)) {
            HeapAmount amount = site.allocated();
            double share = 100 * amount.bytes().value() / all.bytes().value();
            row(
                    bytes(amount.bytes()),
                    objects(amount.objects()),
                    String.format(Locale.ROOT, "%.1f %%", share),
                    site.className());
            frames(site.stack());
        }
    }

    /** Which threads allocated most. */
    void threads(HeapSnapshot snapshot) {
        heading("Top threads");
        row("bytes (95 %)", "objects (95 %)", "live", "thread");
        snapshot.threads().stream()
                .sorted(Comparator.comparingDouble(Report::allocatedBytes).reversed())
                .limit(FRAMES)
                .forEach(this::thread);
    }

    private void thread(ThreadTotals thread) {
        HeapAmount amount = thread.allocated();
        row(
                bytes(amount.bytes()),
                objects(amount.objects()),
                Human.bytes(thread.live().bytes().value()),
                thread.threadName());
    }

    private static double allocatedBytes(ThreadTotals thread) {
        return thread.allocated().bytes().value();
    }

    /** The sites that hold most. */
    void live(HeapSnapshot snapshot) {
        HeapAmount all = snapshot.totals().live();
        heading(
                "Top live sites of %s in all, %s",
                bytes(all.bytes()),
                snapshot.isAfterGc()
                        ? "after a forced collection"
                        : "as of the last collection (none could be forced)");
        row("bytes (95 %)", "objects (95 %)", "median age", "class");
        for (HeapSite site : snapshot.topByLive(SITES)) {
            HeapAges ages = site.ages();
            row(
                    bytes(site.live().bytes()),
                    objects(site.live().objects()),
                    Human.median(ages.byTime()),
                    site.className());
            frames(site.stack());
            String survived = Human.median(ages.byCollections());
            String died = Human.median(site.lifetimes().byTime());
            note(
                    "half of them survived %s or more collections; %s",
                    survived,
                    died.equals("-") ? "none has died" : "half of the dead lived " + died);
        }
    }

    /** What has grown. */
    void growth(HeapDiff diff) {
        heading(
                "Growth of live objects in %s, between two forced collections",
                Human.duration(diff.elapsed()));
        row("bytes (95 %)", "objects (95 %)", "per second", "class");
        for (SiteDelta delta : diff.growing().stream().limit(SITES).toList()) {
            Estimate bytes = delta.live().bytes();
            row(
                    bytes(bytes),
                    objects(delta.live().objects()),
                    Human.bytes(bytes.value() / seconds(diff.elapsed())),
                    delta.className());
            frames(delta.stack());
        }
    }

    /** What the sampler costs, and what it could not know. */
    void status(SamplerStatus status, HeapSnapshot snapshot) {
        heading("The sampler itself");
        double spent = status.meanSampleCost().toNanos() * (double) status.samples() / 1e9;
        fact(
                "samples",
                "%s, one per %s on average; %s objects tracked, room for %s",
                Human.count(status.samples()),
                Human.bytes(snapshot.interval()),
                Human.count(status.tracked()),
                Human.count(status.trackedBudget()));
        fact(
                "cost",
                "%s of processor time per sample on average, about %.1f %% of one core",
                Human.duration(status.meanSampleCost()),
                100 * spent / seconds(snapshot.duration()));
        StackLookups stacks = status.stackLookups();
        fact(
                "stacks",
                "%s known and %s put together from known parts, of which %s were compared with the"
                        + " JVM's; %s came from the JVM",
                Human.count(stacks.known()),
                Human.count(stacks.composed()),
                Human.count(stacks.verified()),
                Human.count(stacks.asked() + stacks.unwalkable()));
        fact(
                "memory",
                "%s now, %s at most",
                Human.bytes(status.memoryUsed()),
                Human.bytes(status.memoryPeak()));
        String drops =
                snapshot.dropped().entrySet().stream()
                        .filter(drop -> drop.getValue() > 0)
                        .map(drop -> drop.getKey() + " " + Human.count(drop.getValue()))
                        .collect(Collectors.joining(", "));
        fact("drops", "%s", drops.isEmpty() ? "none" : drops);
        snapshot.notes().forEach(note -> fact("note", "%s", note));
    }

    private void frames(List<HeapFrame> stack) {
        if (stack.isEmpty()) {
            note("no stack");
        }
        stack.stream().limit(FRAMES).forEach(frame -> note("at %s", frame));
    }

    private void heading(String format, Object... arguments) {
        out.println();
        out.println(String.format(Locale.ROOT, format, arguments));
    }

    private void row(String bytes, String objects, String third, String className) {
        out.println(
                String.format("  %-22s %-24s %-12s %s", bytes, objects, third, className)
                        .stripTrailing());
    }

    private void note(String format, Object... arguments) {
        out.println("      " + String.format(Locale.ROOT, format, arguments));
    }

    private void fact(String name, String format, Object... arguments) {
        String title = name;
        for (String line : Human.wrap(String.format(Locale.ROOT, format, arguments), WIDTH)) {
            out.println(String.format(Locale.ROOT, "  %-9s", title) + line);
            title = "";
        }
    }

    private static String bytes(Estimate estimate) {
        return Human.bytes(estimate.value()) + " ± " + Human.bytes(error(estimate));
    }

    private static String objects(Estimate estimate) {
        return Human.count(estimate.value()) + " ± " + Human.count(error(estimate));
    }

    private static double error(Estimate estimate) {
        return estimate.high() - estimate.value();
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}

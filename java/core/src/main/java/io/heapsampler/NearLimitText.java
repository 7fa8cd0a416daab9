// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.limit.MemoryUse;
import io.heapsampler.internal.shared.PrintableText;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The text of a report near a memory limit, as a person reads it first. */
final class NearLimitText {

    /** The sites whose holders are searched. */
    static final int SEARCHED_SITES = 5;

    /** In place of the holders until they are found. */
    static final String SEARCHING =
            "\nHeld by: the search has begun. If this line stays, the process ended before it was"
                    + " over, or the answer could not be written.\n";

    private static final int SITES = 20;
    private static final int FRAMES = 8;
    private static final int HOLDER_LINES = 80;

    private final double share;
    private final MemoryUse passed;
    private final @Nullable MemoryUse heap;
    private final @Nullable MemoryUse group;
    private final Instant time;

    NearLimitText(
            double share,
            MemoryUse passed,
            @Nullable MemoryUse heap,
            @Nullable MemoryUse group,
            Instant time) {
        this.share = share;
        this.passed = passed;
        this.heap = heap;
        this.group = group;
        this.time = time;
    }

    /** Returns the line for the log. */
    String line(Path file, boolean isSearched) {
        return "Memory is near its limit: "
                + use(passed)
                + (isSearched
                        ? ". The sites that hold most live memory are in "
                                + file
                                + ", and soon what holds them."
                        : ". The report is in " + file + ".");
    }

    /** Returns the report without holders. */
    String sites(HeapSnapshot snapshot) {
        StringBuilder text = new StringBuilder();
        text.append("HeapSampler: memory is near its limit at ")
                .append(time.truncatedTo(ChronoUnit.SECONDS))
                .append(", in process ")
                .append(ProcessHandle.current().pid())
                .append(".\nPassed ")
                .append(percent(share))
                .append(": ")
                .append(use(passed))
                .append(".\n");
        appendOther(text, heap, "The heap has no limit.");
        appendOther(text, group, "No limit of a container was found.");
        appendCommitted(text);
        appendSites(text, snapshot);
        return text.toString();
    }

    private void appendOther(StringBuilder text, @Nullable MemoryUse use, String none) {
        if (use == null || !use.what().equals(passed.what())) {
            text.append(use == null ? none : "Beside it: " + use(use) + ".").append('\n');
        }
    }

    private static String use(MemoryUse use) {
        return use.what()
                + " uses "
                + percent(use.share())
                + " of its limit, "
                + ByteSize.format((double) use.used())
                + " of "
                + ByteSize.format((double) use.limit())
                + (use.what().equals("the container") ? "" : " after a collection");
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.3g %%", 100 * share);
    }

    /** Tells a full heap from a full container. */
    private static void appendCommitted(StringBuilder text) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long buffers = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            buffers += pool.getName().equals("direct") ? pool.getMemoryUsed() : 0;
        }
        text.append("The JVM has committed ")
                .append(ByteSize.format((double) memory.getHeapMemoryUsage().getCommitted()))
                .append(" for the heap and ")
                .append(ByteSize.format((double) memory.getNonHeapMemoryUsage().getCommitted()))
                .append(" for classes and code. Direct buffers take ")
                .append(ByteSize.format((double) buffers))
                .append(".\n");
    }

    private static void appendSites(StringBuilder text, HeapSnapshot snapshot) {
        HeapAmount live = snapshot.totals().live();
        String amount = HeldByText.amount(live); // has the samples where they are few
        text.append("Estimated live memory: ").append(amount);
        if (!amount.contains("sample")) {
            text.append(", from ").append(live.samples()).append(" samples");
        }
        List<HeapSite> top = snapshot.topByLive(SITES);
        if (top.isEmpty()) {
            text.append(
                    ".\n"
                        + "No collection has found a sampled object alive; a smaller interval shows"
                        + " more.\n");
            return;
        }
        text.append(". Sites that hold most:\n");
        for (HeapSite site : top) {
            appendSite(text, site);
        }
    }

    private static void appendSite(StringBuilder text, HeapSite site) {
        text.append("\n    ")
                .append(HeldByText.amount(site.live()))
                .append(" of ")
                .append(PrintableText.of(site.className()))
                .append('\n');
        List<HeapFrame> stack = site.stack();
        for (HeapFrame frame : stack.subList(0, Math.min(FRAMES, stack.size()))) {
            text.append("        at ").append(PrintableText.of(frame.toString())).append('\n');
        }
        if (stack.size() > FRAMES) {
            text.append("        ... ").append(stack.size() - FRAMES).append(" more\n");
        }
    }

    /** Returns the part of the report about holders. */
    static String holders(HeldBy held) {
        StringBuilder text = new StringBuilder("\nHeld by, of the ");
        text.append(SEARCHED_SITES)
                .append(" largest sites at most: ")
                .append(held.toText(HOLDER_LINES))
                .append('\n');
        for (Note note : held.notes()) {
            text.append(PrintableText.of(note.text())).append('\n');
        }
        return text.toString();
    }

    /** Returns that part where the search was refused. */
    static String noHolders(String why) {
        return "\nHeld by: not known. " + PrintableText.of(why) + "\n";
    }
}

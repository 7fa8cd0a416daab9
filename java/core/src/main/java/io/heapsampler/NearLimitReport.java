// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import io.heapsampler.internal.limit.MemoryUse;
import io.heapsampler.internal.shared.ReportFile;
import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the report near a memory limit: first the sites, which takes milliseconds, then the same
 * with their holders. So a process that is killed meanwhile leaves the sites. Each time the file is
 * replaced as a whole. No collection is forced that would stop the application: the last one is
 * what the report is about.
 */
final class NearLimitReport implements NearLimitWatch.Report {

    /** The budgets of the search: it shares the memory that is short. */
    private static final HeldByOptions SEARCH =
            HeldByOptions.topByLive(NearLimitText.SEARCHED_SITES)
                    .maxSamples(500)
                    .maxPause(Duration.ofMillis(100))
                    .maxTime(Duration.ofSeconds(20));

    private static final long MOST_MEMORY = 256L << 20;

    /**
     * Heap that the parts of a report allocate, measured: for classes and texts, for each tracked
     * object, and, in a search, for each byte of the snapshot. An OutOfMemoryError of the report's
     * own could end the application.
     */
    private static final long OF_TEXT = 2L << 20;

    private static final long OF_SEARCH = 4L << 20;
    private static final long OF_TRACKED = 240;
    private static final long OF_SNAPSHOT_BYTE = 4;

    private final NearLimit wanted;

    /** A forced collection does not stop the application for long. */
    private static final Set<GarbageCollector> CONCURRENT =
            EnumSet.of(
                    GarbageCollector.Z,
                    GarbageCollector.Z_GENERATIONAL,
                    GarbageCollector.SHENANDOAH,
                    GarbageCollector.SHENANDOAH_GENERATIONAL);

    private final LongSupplier tracked;
    private final Function<SnapshotOptions, HeapSnapshot> snapshots;
    private final Consumer<String> log;

    /**
     * Prepares reports.
     *
     * @param tracked returns the number of tracked objects
     */
    NearLimitReport(
            NearLimit wanted,
            LongSupplier tracked,
            Function<SnapshotOptions, HeapSnapshot> snapshots,
            Consumer<String> log) {
        this.wanted = wanted;
        this.tracked = tracked;
        this.snapshots = snapshots;
        this.log = log;
    }

    @Override
    public @Nullable String whyNot(@Nullable MemoryUse heap) {
        return whyNot("heap", heap, OF_TEXT + OF_TRACKED * tracked.getAsLong());
    }

    @Override
    public void write(MemoryUse passed, @Nullable MemoryUse heap, @Nullable MemoryUse group)
            throws IOException {
        NearLimitText text = new NearLimitText(wanted.share(), passed, heap, group, Instant.now());
        HeapSnapshot snapshot = snapshot();
        String sites = text.sites(snapshot);
        boolean isSearched = !snapshot.topByLive(1).isEmpty();
        replace(isSearched ? sites + NearLimitText.SEARCHING : sites);
        log.accept(text.line(wanted.path(), isSearched));
        if (isSearched) {
            replace(sites + holders(snapshot, heap, group));
        }
    }

    /** Generational ZGC may not have visited old objects for a long time. */
    private HeapSnapshot snapshot() {
        HeapSnapshot snapshot = snapshots.apply(SnapshotOptions.defaults());
        boolean isUnknown = snapshot.topByLive(1).isEmpty() && tracked.getAsLong() > 0;
        return isUnknown && CONCURRENT.contains(snapshot.collector())
                ? snapshots.apply(SnapshotOptions.afterGc())
                : snapshot;
    }

    private void replace(String text) throws IOException {
        try {
            ReportFile.checkReplaceable(NearLimit.OPTION, wanted.path());
        } catch (IllegalArgumentException e) { // It was right when sampling started.
            throw new IOException(e.getMessage(), e);
        }
        // Another user may put a link there after the check.
        WholeFile.replaceName(
                wanted.path(), out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Searches for the holders. What keeps the search from an answer is the text. */
    private static String holders(
            HeapSnapshot snapshot, @Nullable MemoryUse heap, @Nullable MemoryUse group) {
        long needed = OF_SEARCH + OF_SNAPSHOT_BYTE * snapshot.data().block().length;
        String why = whyNot("heap", heap, needed);
        if (why == null) {
            // The heap may have to grow for it, and the search needs memory outside as well.
            why = whyNot("container", group, 2 * needed);
        }
        if (why != null) {
            return NearLimitText.noHolders(why);
        }
        long memory =
                group == null ? MOST_MEMORY : Math.min(MOST_MEMORY, (group.left() - needed) / 2);
        try {
            return NearLimitText.holders(snapshot.heldBy(SEARCH.maxMemory(memory)));
        } catch (RuntimeException e) {
            return NearLimitText.noHolders(String.valueOf(e.getMessage()));
        } catch (Error e) { // such as no memory, also for a class
            return NearLimitText.noHolders(e + ".");
        }
    }

    /** Returns why there is no room for so much; null if there is. */
    private static @Nullable String whyNot(String where, @Nullable MemoryUse use, long bytes) {
        return use == null || use.left() >= bytes
                ? null
                : "It may take "
                        + ByteSize.format((double) bytes)
                        + " of the "
                        + where
                        + ", which has only "
                        + ByteSize.format((double) use.left())
                        + " left. A lower share leaves more.";
    }
}

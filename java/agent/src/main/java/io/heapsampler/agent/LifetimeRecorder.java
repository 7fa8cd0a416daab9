// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Liveness;
import io.heapsampler.internal.shared.GcNotifications;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes how long objects live: after collections, a line for each sample that has survived its
 * first one, and a line for each that was found dead. At the end, a line for each live sample.
 *
 * <pre>
 * #GC epoch=12 collections=1 causes=G1_Young_Generation:G1_Evacuation_Pause time=...
 * com.acme.Shop.main;com.acme.Shop.open;com/acme/Session 524312 1 840 survived
 * com.acme.Shop.main;com.acme.Shop.page;byte[] 524288 3 2210 died
 * </pre>
 *
 * <p>The columns: stack and class, figure, collections survived, age in milliseconds, state.
 * Readers of the flame sampler's files, which use the first two and skip lines with {@code #}, can
 * read these.
 */
final class LifetimeRecorder implements Recorder {

    private static final String HEAD =
            "# stack;class figure collections_survived age_ms survived|died|live|unconfirmed\n";

    private final StackLines lines;
    private final long maxBytes;
    private final Writer out;
    private final @Nullable GcCauses causes;

    private long bytes;
    private long epoch;

    /** Hashes of the live and dead samples of the last call, ascending. */
    private long[] known = {};

    private long forgotten;
    private long inRing;

    LifetimeRecorder(AgentOptions options) throws IOException {
        this.lines = options.lines;
        this.maxBytes = options.lifetimeBytes;
        this.out = Files.newBufferedWriter(options.outputFile);
        out.write(HEAD);
        this.causes = causesOrNull();
    }

    private static @Nullable GcCauses causesOrNull() {
        try {
            return new GcCauses();
        } catch (NoClassDefFoundError | RuntimeException e) {
            return null; // Such as a runtime without the module jdk.management.
        }
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        if (bytes > maxBytes) {
            return;
        }
        boolean isNew = snapshot.collections() != epoch;
        if (isNew) {
            writeCollections(snapshot);
        }
        if (isNew || isLast) { // deaths of the last collections may have been found since
            writeChanges(snapshot);
        }
        if (isLast) {
            writeEnd(snapshot);
        }
        if (bytes > maxBytes) {
            out.write("#FULL lifetimeMaxMb is reached; nothing follows\n");
        }
        out.flush();
    }

    @Override
    public void close() {
        if (causes != null) {
            causes.close();
        }
        try {
            out.close();
        } catch (IOException e) {
            // Each write was flushed, or its failure was reported.
        }
    }

    private void writeCollections(HeapSnapshot snapshot) throws IOException {
        long before = Math.min(epoch, snapshot.collections()); // fewer after a reset
        epoch = snapshot.collections();
        out.write(
                String.format(
                        Locale.ROOT,
                        "#GC epoch=%d collections=%d causes=%s time=%s%n",
                        epoch,
                        epoch - before,
                        causes == null ? "unknown" : causes.drain(),
                        snapshot.takenAt()));
    }

    /** Writes the samples that have survived, or died, since the last call. */
    private void writeChanges(HeapSnapshot snapshot) throws IOException {
        LongStream.Builder seen = LongStream.builder();
        for (HeapSite site : snapshot.sites()) {
            if (!lines.accepts(site)) {
                continue;
            }
            String key = null;
            long hashOfSite = 31L * site.stack().hashCode() + site.className().hashCode();
            for (HeapSample sample : site.samples()) {
                if (sample.liveness() == Liveness.UNCONFIRMED) {
                    continue;
                }
                long hash = hash(sample, hashOfSite);
                seen.add(hash);
                if (Arrays.binarySearch(known, hash) < 0) {
                    key = key == null ? lines.key(site) : key;
                    boolean isDead = sample.liveness() == Liveness.DEAD;
                    writeLine(key, sample, snapshot, isDead ? "died" : "survived");
                }
            }
        }
        known = seen.build().sorted().toArray();
        writeLost(snapshot);
    }

    /** Tells samples apart. Two of the same thread, site, size and microsecond live alike. */
    private static long hash(HeapSample sample, long hashOfSite) {
        Instant found = sample.foundDeadAt();
        Instant allocated = sample.allocatedAt();
        // For a dead sample its age: the wall clock may have been set back since the last call.
        Duration time =
                Duration.between(
                        found == null ? Instant.EPOCH : allocated,
                        found == null ? allocated : found);
        long hash = (found == null ? 0 : 1) + time.toNanos() * 0x9E3779B97F4A7C15L;
        hash = (hash + sample.threadId().orElse(-1)) * 0x9E3779B97F4A7C15L + sample.size();
        return hash * 0x9E3779B97F4A7C15L + hashOfSite;
    }

    private void writeLine(String key, HeapSample sample, HeapSnapshot snapshot, String state)
            throws IOException {
        if (bytes > maxBytes) {
            return;
        }
        String line =
                String.format(
                        Locale.ROOT,
                        "%s %d %d %d %s%n",
                        key,
                        lines.figure(sample.size(), sample.weight()),
                        sample.collectionsSurvived(),
                        age(sample, snapshot).toMillis(),
                        state);
        bytes += line.getBytes(StandardCharsets.UTF_8).length;
        out.write(line);
    }

    /** Returns the age; of a dead sample, with a death halfway between two looks. */
    private static Duration age(HeapSample sample, HeapSnapshot snapshot) {
        Instant seen = sample.lastSeenAliveAt();
        Instant found = sample.foundDeadAt();
        if (seen == null || found == null) {
            return Duration.between(sample.allocatedAt(), snapshot.takenAt());
        }
        return Duration.between(
                sample.allocatedAt(), seen.plus(Duration.between(seen, found).dividedBy(2)));
    }

    /** Dead samples are in a ring; reports those that have left it since the last call. */
    private void writeLost(HeapSnapshot snapshot) throws IOException {
        long left =
                Objects.requireNonNullElse(snapshot.dropped().get(DropCause.DEAD_FORGOTTEN), 0L);
        long lost = left - forgotten - inRing;
        if (lost > 0) {
            out.write("#LOST deaths=" + lost + " (more than fit between two looks)\n");
        }
        forgotten = left;
        inRing =
                snapshot.samples().stream()
                        .filter(sample -> sample.liveness() == Liveness.DEAD)
                        .count();
    }

    private void writeEnd(HeapSnapshot snapshot) throws IOException {
        out.write("#END time=" + snapshot.takenAt() + "\n");
        for (HeapSite site : snapshot.sites()) {
            if (!lines.accepts(site)) {
                continue;
            }
            String key = lines.key(site);
            for (HeapSample sample : site.samples()) {
                if (sample.liveness() != Liveness.DEAD) {
                    String state = sample.liveness().name().toLowerCase(Locale.ROOT);
                    writeLine(key, sample, snapshot, state);
                }
            }
        }
    }

    /**
     * The collectors and causes of the last collections. Requires the module {@code
     * jdk.management}. The JVM reports a collection on a thread of its own, shortly after it.
     */
    static final class GcCauses implements AutoCloseable {

        /** The maximum number of different ones between two calls; there are few. */
        private static final int MOST = 8;

        private final GcNotifications notifications;

        /** Guarded by this. */
        private final Set<String> seen = new LinkedHashSet<>();

        /** Begins to listen. ZGC and Shenandoah also have beans that count pauses instead. */
        GcCauses() {
            notifications =
                    GcNotifications.subscribe(
                            ManagementFactory.getGarbageCollectorMXBeans().stream()
                                    .filter(bean -> !bean.getName().endsWith("Pauses"))
                                    .toList(),
                            this::add);
        }

        private synchronized void add(GarbageCollectionNotificationInfo info) {
            if (seen.size() < MOST) {
                seen.add((info.getGcName() + ":" + info.getGcCause()).replace(' ', '_'));
            }
        }

        /** Returns the causes since the last call, as {@code collector:cause,...}. */
        synchronized String drain() {
            String all = seen.isEmpty() ? "unknown" : String.join(",", seen);
            seen.clear();
            return all;
        }

        @Override
        public void close() {
            notifications.close();
        }
    }
}

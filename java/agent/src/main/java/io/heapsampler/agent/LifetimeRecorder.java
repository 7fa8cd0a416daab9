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
import java.nio.file.Path;
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
 * first one, and a line for each that was found dead. At the end, a line for each that is still
 * there.
 *
 * <pre>
 * #GC epoch=12 collections=1 causes=G1_Young_Generation:G1_Evacuation_Pause time=...
 * com.acme.Shop.main;com.acme.Shop.open;com/acme/Session 524312 1 840 survived
 * com.acme.Shop.main;com.acme.Shop.page;byte[] 524288 3 2210 died
 * </pre>
 *
 * <p>The columns: stack and class, the figure, collections survived, age in milliseconds, state.
 * Readers that look at the first two, and skip lines with {@code #}, go on working.
 */
final class LifetimeRecorder implements Recorder {

    private static final String HEAD =
            "# stack;class figure collections_survived age_ms survived|died|live|unconfirmed\n";

    private final Path file;
    private final StackLines lines;
    private final SiteFilter filter;
    private final @Nullable GcCauses causes;

    private final long maxBytes;
    private long bytes;
    private @Nullable Writer out;
    private long epoch;

    /** Hashes of the samples that were live at the last look, ascending. */
    private long[] known = {};

    /** Hashes of the samples that were dead at the last look, ascending. */
    private long[] knownDead = {};

    private long forgotten;
    private long inRing;

    LifetimeRecorder(AgentOptions options) {
        this.file = options.outputFile;
        this.lines = new StackLines(options.style);
        this.filter = options.filter;
        this.maxBytes = options.lifetimeBytes;
        this.causes = causesOrNull();
    }

    private static @Nullable GcCauses causesOrNull() {
        try {
            return new GcCauses();
        } catch (NoClassDefFoundError e) {
            return null; // A runtime without the module jdk.management: causes stay unknown.
        }
    }

    /** What a killed application leaves is a second old, unless there is a lot to write. */
    @Override
    public int share() {
        return 10;
    }

    @Override
    public void write(HeapSnapshot snapshot, boolean isLast) throws IOException {
        if (out == null) {
            out = Files.newBufferedWriter(file);
            out.write(HEAD);
        }
        if (bytes > maxBytes) {
            return;
        }
        boolean isNew = snapshot.collections() != epoch;
        if (isNew) {
            writeCollections(out, snapshot);
        }
        if (isNew || isLast) { // deaths of the last collections may have been found since
            writeChanges(out, snapshot);
        }
        if (isLast) {
            writeEnd(out, snapshot);
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
        if (out != null) {
            try {
                out.close();
            } catch (IOException e) {
                // What was written was flushed, or its failure told.
            }
        }
    }

    private void writeCollections(Writer text, HeapSnapshot snapshot) throws IOException {
        long before = Math.min(epoch, snapshot.collections()); // fewer after a reset
        epoch = snapshot.collections();
        text.write(
                String.format(
                        Locale.ROOT,
                        "#GC epoch=%d collections=%d causes=%s time=%s%n",
                        epoch,
                        epoch - before,
                        causes == null ? "unknown" : causes.drain(),
                        snapshot.takenAt()));
    }

    /** Writes who has survived, and who has died, since the last look. */
    private void writeChanges(Writer text, HeapSnapshot snapshot) throws IOException {
        LongStream.Builder live = LongStream.builder();
        LongStream.Builder dead = LongStream.builder();
        for (HeapSite site : snapshot.sites()) {
            if (filter.accepts(site)) {
                writeSite(text, snapshot, site, live, dead);
            }
        }
        known = live.build().sorted().toArray();
        knownDead = dead.build().sorted().toArray();
        writeLost(text, snapshot);
    }

    private void writeSite(
            Writer text,
            HeapSnapshot snapshot,
            HeapSite site,
            LongStream.Builder live,
            LongStream.Builder dead)
            throws IOException {
        String key = null;
        long hashOfSite = 31L * site.stack().hashCode() + site.className().hashCode();
        for (HeapSample sample : site.samples()) {
            Instant found = sample.foundDeadAt();
            boolean isNew = false;
            if (sample.liveness() == Liveness.LIVE) {
                long hash = hash(sample, nanos(sample.allocatedAt()), hashOfSite);
                live.add(hash);
                isNew = Arrays.binarySearch(known, hash) < 0;
            } else if (found != null) {
                // Not the time itself: the wall clock may have been set back since the last look.
                Duration life = Duration.between(sample.allocatedAt(), found);
                long hash = hash(sample, life.toNanos(), hashOfSite);
                dead.add(hash);
                isNew = Arrays.binarySearch(knownDead, hash) < 0;
            }
            if (isNew) {
                key = key == null ? lines.key(site) : key;
                boolean isDead = sample.liveness() == Liveness.DEAD;
                writeLine(text, key, sample, snapshot, isDead ? "died" : "survived");
            }
        }
    }

    private static long nanos(Instant at) {
        return at.getEpochSecond() * 1_000_000_000L + at.getNano();
    }

    /** Tells samples apart. Two of the same thread, site, size and microsecond live alike. */
    private static long hash(HeapSample sample, long time, long hashOfSite) {
        long hash = time * 0x9E3779B97F4A7C15L + sample.threadId().orElse(-1);
        hash = hash * 0x9E3779B97F4A7C15L + sample.size();
        return hash * 0x9E3779B97F4A7C15L + hashOfSite;
    }

    private void writeLine(
            Writer text, String key, HeapSample sample, HeapSnapshot snapshot, String state)
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
        text.write(line);
    }

    /** How old it is; of the dead, how old it became: death lies between two looks. */
    private static Duration age(HeapSample sample, HeapSnapshot snapshot) {
        Instant seen = sample.lastSeenAliveAt();
        Instant found = sample.foundDeadAt();
        if (seen == null || found == null) {
            return Duration.between(sample.allocatedAt(), snapshot.takenAt());
        }
        return Duration.between(
                sample.allocatedAt(), seen.plus(Duration.between(seen, found).dividedBy(2)));
    }

    /** The dead are in a ring: some may have left it since the last look, which is said. */
    private void writeLost(Writer text, HeapSnapshot snapshot) throws IOException {
        long left =
                Objects.requireNonNullElse(snapshot.dropped().get(DropCause.DEAD_FORGOTTEN), 0L);
        long lost = left - forgotten - inRing;
        if (lost > 0) {
            text.write("#LOST deaths=" + lost + " (more than fit between two looks)\n");
        }
        forgotten = left;
        inRing =
                snapshot.samples().stream()
                        .filter(sample -> sample.liveness() == Liveness.DEAD)
                        .count();
    }

    private void writeEnd(Writer text, HeapSnapshot snapshot) throws IOException {
        text.write("#END time=" + snapshot.takenAt() + "\n");
        for (HeapSite site : snapshot.sites()) {
            if (!filter.accepts(site)) {
                continue;
            }
            String key = lines.key(site);
            for (HeapSample sample : site.samples()) {
                if (sample.liveness() != Liveness.DEAD) {
                    String state = sample.liveness().name().toLowerCase(Locale.ROOT);
                    writeLine(text, key, sample, snapshot, state);
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

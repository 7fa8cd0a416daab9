// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.internal.Aggregates;
import io.heapsampler.internal.Aggregates.Kind;
import io.heapsampler.internal.FacadeAccess;
import io.heapsampler.internal.Info;
import io.heapsampler.internal.LabelText;
import io.heapsampler.internal.Notes;
import io.heapsampler.internal.SnapshotData;
import io.heapsampler.internal.SnapshotDecoder;
import io.heapsampler.internal.holders.HeldPaths;
import io.heapsampler.internal.shared.WholeFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What one recording, or the process-wide sampler, has seen up to a moment: the allocations by
 * site, and how much of them is still live.
 *
 * <pre>{@code
 * HeapSnapshot before = HeapSampler.snapshot(SnapshotOptions.afterGc());
 * work();
 * HeapSnapshot after = HeapSampler.snapshot(SnapshotOptions.afterGc());
 * after.diff(before).deltas().stream().limit(5).forEach(System.out::println);
 * after.notes().forEach(System.out::println);
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads. All lists and maps are unmodifiable. A snapshot
 * holds names and numbers, never a sampled object, so that keeping it keeps nothing else alive.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class HeapSnapshot {

    private static final GarbageCollector[] COLLECTORS = GarbageCollector.values();

    static {
        FacadeAccess.openSnapshots(snapshot -> snapshot.search != null);
    }

    private final SnapshotData data;
    private final FrameTable frames;
    private final List<HeapSite> sites;
    private final List<ClassTotals> classes;
    private final List<ThreadTotals> threads;
    private final HeapTotals totals;
    private final Map<DropCause, Long> dropped;
    private final List<Note> notes;

    /** Where holders of these samples can be searched; null if they are of another process. */
    private final @Nullable HolderSearch search;

    /** Made on first use, under the lock of {@link #data}. */
    private @Nullable HeldBy heldBy;

    HeapSnapshot(SnapshotData data) {
        this(data, null);
    }

    HeapSnapshot(SnapshotData data, @Nullable HolderSearch search) {
        this.data = data;
        this.search = search;
        Aggregates sums = data.aggregates();
        this.frames = new FrameTable(data);
        List<HeapSite> allSites = new ArrayList<>(data.siteCount());
        for (int i = 0; i < data.siteCount(); i++) {
            allSites.add(new HeapSite(this, i, frames.stackOf(i)));
        }
        this.sites = Collections.unmodifiableList(allSites);
        this.classes =
                IntStream.range(0, sums.classNames.length)
                        .mapToObj(i -> new ClassTotals(sums, i))
                        .toList();
        boolean isFiltered = data.hasFlag(Info.FLAG_FILTERED);
        this.threads =
                IntStream.range(0, isFiltered ? 0 : data.threadCount())
                        .mapToObj(i -> new ThreadTotals(data, i))
                        .toList();
        this.totals = new HeapTotals(sums);
        this.dropped = DropCause.counts(data);
        this.notes = Notes.of(data);
    }

    /** Decodes a block, see {@code native/doc/snapshot-format.md}. */
    static HeapSnapshot decode(byte[] block) {
        return decode(block, null);
    }

    /** Decodes a block of this process, in whose samples holders can be searched. */
    static HeapSnapshot decode(byte[] block, @Nullable HolderSearch search) {
        return new HeapSnapshot(SnapshotDecoder.decode(block), search);
    }

    /**
     * Reads a snapshot from a file that {@link #writeTo(Path)} wrote, by this version of
     * HeapSampler, an earlier one, or a later one that did not change the format altogether.
     *
     * @param file the file, {@code .hsnap} by custom
     * @return the snapshot
     * @throws IOException if the file cannot be read, is damaged, or is of a later version of the
     *     format; the message says which
     */
    public static HeapSnapshot read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return SnapshotFile.read(in, file.toString());
        }
    }

    /**
     * Reads a snapshot as {@link #read(Path)} does.
     *
     * @param in from where; it is read to its end and stays open
     * @return the snapshot
     * @throws IOException as above
     */
    public static HeapSnapshot read(InputStream in) throws IOException {
        return SnapshotFile.read(in, "the snapshot");
    }

    /**
     * Writes this snapshot to a file in its own format, which {@link #read(Path)} reads. Nothing is
     * left out.
     *
     * @param file the file, by convention {@code .hsnap}; it is replaced as described at {@link
     *     #writeTo(Path, SnapshotFormat)}
     * @throws IOException if the file cannot be written
     */
    public void writeTo(Path file) throws IOException {
        WholeFile.replace(file, this::writeTo);
    }

    /**
     * Writes this snapshot to a stream in its own format, which {@link #read(InputStream)} reads.
     *
     * @param out the stream; it is flushed and stays open
     * @throws IOException if the stream cannot be written
     */
    public void writeTo(OutputStream out) throws IOException {
        out.write(data.block());
        out.flush();
    }

    /**
     * Writes this snapshot to a file in a format of choice, such as {@code ExportFormat.PPROF}.
     *
     * <p>A reader of the file sees the old content or the new content, never a part: the snapshot
     * is written to a temp file in the same folder, which is flushed to disk and then renamed. If
     * that fails, the temp file is deleted and an existing file stays unchanged. A replaced file
     * keeps its permissions; a new file gets those of the umask. A symbolic link stays, and the
     * file it points to is replaced. A path that is not a regular file, such as a pipe, is written
     * to directly.
     *
     * @param file the file; an existing file is replaced
     * @param format the format
     * @throws IOException if the file cannot be written
     */
    public void writeTo(Path file, SnapshotFormat format) throws IOException {
        Objects.requireNonNull(format, "format");
        WholeFile.replace(file, out -> format.write(this, out));
    }

    /**
     * Writes this snapshot to a stream in a format of choice.
     *
     * @param out the stream; it is flushed and stays open
     * @param format the format
     * @throws IOException if the stream cannot be written
     */
    public void writeTo(OutputStream out, SnapshotFormat format) throws IOException {
        Objects.requireNonNull(format, "format").write(this, out);
    }

    SnapshotData data() {
        return data;
    }

    @Nullable HolderSearch search() {
        return search;
    }

    long takenAtMicros() {
        return data.info(Info.TAKEN_AT);
    }

    /** {@return the allocation sites that were sampled, in no particular order} */
    public List<HeapSite> sites() {
        return sites;
    }

    /**
     * {@return the frames of all stacks; elements are created on access} {@link
     * HeapSite#frameNumbers()} are positions in this list; it may contain equal frames, and frames
     * that are no longer part of a stack.
     */
    public List<HeapFrame> frames() {
        return frames;
    }

    /**
     * Returns the sites that allocated most.
     *
     * @param limit how many at most, 0 or more
     * @return the sites, most estimated bytes first
     * @throws IllegalArgumentException if the limit is negative
     */
    public List<HeapSite> topByAllocated(int limit) {
        return HeapSite.top(sites, limit, data.aggregates().bySite(Kind.ALLOCATED));
    }

    /**
     * Returns the sites that hold most of what is confirmed alive. Sites of which nothing is live
     * are left out.
     *
     * @param limit how many at most, 0 or more
     * @return the sites, most estimated live bytes first
     * @throws IllegalArgumentException if the limit is negative
     */
    public List<HeapSite> topByLive(int limit) {
        return HeapSite.top(sites, limit, data.aggregates().bySite(Kind.LIVE));
    }

    /**
     * Returns the samples that are still kept: those alive, then the dead in the order of their
     * deaths.
     *
     * @return a list of views; its elements are created on access
     */
    public List<HeapSample> samples() {
        return SampleList.all(this);
    }

    /** {@return the figures per class: each class that was sampled, in no particular order} */
    public List<ClassTotals> classes() {
        return classes;
    }

    /**
     * {@return the figures per thread: each thread that was sampled, in no particular order; empty
     * after {@link #filter}}
     */
    public List<ThreadTotals> threads() {
        return threads;
    }

    /** {@return the keys of all labels, see {@link HeapLabels}, sorted} */
    public List<String> labelKeys() {
        return LabelTotals.keys(data.rows());
    }

    /**
     * Returns the figures per value of a label. Their sums are those of {@link #totals()}.
     *
     * @param key the key of the label, such as {@code endpoint}
     * @return each value that was sampled, most allocated bytes first; with an entry each for the
     *     samples without the label and for those whose labels found no room, if there are such
     * @throws IllegalArgumentException if no label can have such a key; see {@link HeapLabels#of}
     */
    public List<LabelTotals> labels(String key) {
        LabelText.checkKey(key);
        return LabelTotals.of(data, data.rows().all(), key);
    }

    /**
     * Returns the figures per set of labels. Their sums are those of {@link #totals()}.
     *
     * @return each set that was sampled, most allocated bytes first; with an entry each for the
     *     samples without labels and for those whose labels found no room, if there are such
     */
    public List<LabelTotals> labels() {
        return LabelTotals.of(data, data.rows().all(), null);
    }

    /**
     * Returns a snapshot of some of the samples: sites, classes, totals, samples and lifetimes are
     * theirs alone, and so are differences of such snapshots. Filter again for samples that match
     * several filters.
     *
     * <p>Allocations are not counted by thread and label together, so {@link #threads()} is empty.
     * {@link #dropped()} counts all samples. An answer of {@link #heldBy()} is not kept. A new
     * search for holders finds those of the matching samples.
     *
     * @param filter which samples
     * @return a snapshot of the samples that match; this one if all do
     */
    public HeapSnapshot filter(SampleFilter filter) {
        Objects.requireNonNull(filter, "filter");
        byte[] some = filter.blockOf(data);
        return some == null ? this : decode(some, search);
    }

    /** {@return the figures of all sites together} */
    public HeapTotals totals() {
        return totals;
    }

    /**
     * Compares this snapshot with an earlier one of the same recording.
     *
     * @param earlier the other snapshot
     * @return what has grown and what has shrunk, by site
     */
    public HeapDiff diff(HeapSnapshot earlier) {
        return HeapDiff.between(Objects.requireNonNull(earlier, "earlier"), this);
    }

    /**
     * Finds out which references keep live objects of this snapshot alive, now. The application
     * stops for a moment, see {@link HeldByOptions#maxPause}. Objects that have died since are
     * {@link Unresolved#DIED}.
     *
     * @param options which of the live objects, and what the search may cost
     * @return the holders; without any if no live object matches
     * @throws IllegalStateException if this snapshot was not taken in this process, or before the
     *     first start, if its recording tracks no objects, or if another search is running and the
     *     options do not wait long enough for it
     * @throws HeapSamplingUnavailableException if native memory is lacking, or the JVM is shutting
     *     down
     */
    public HeldBy heldBy(HeldByOptions options) {
        Objects.requireNonNull(options, "options");
        if (search == null) {
            throw Refusals.otherProcess();
        }
        return search.search(() -> this, options);
    }

    /**
     * {@return the holders that were searched before: those of {@link HeldBy#snapshot()}, also
     * after it was written and read; empty for other snapshots}
     */
    public Optional<HeldBy> heldBy() {
        HeldPaths paths = data.held();
        if (paths == null) {
            return Optional.empty();
        }
        synchronized (data) {
            if (heldBy == null) {
                heldBy = new HeldBy(this, paths);
            }
            return Optional.of(heldBy);
        }
    }

    /**
     * {@return for how long samples were taken, without the time in which the recording was
     * stopped}
     */
    public Duration duration() {
        return Duration.of(data.info(Info.SAMPLED_MICROS), ChronoUnit.MICROS);
    }

    /**
     * {@return when the recording was opened or last reset; the same as {@link #takenAt()} if it
     * was never started}
     */
    public Instant startedAt() {
        return HeapSample.instant(data.info(Info.STARTED_AT));
    }

    /** {@return when this snapshot was taken} */
    public Instant takenAt() {
        return HeapSample.instant(takenAtMicros());
    }

    /** {@return by what samples were chosen} */
    public SamplingStrategy strategy() {
        SamplingStrategy chosen =
                SamplingStrategy.of(data.info(Info.STRATEGY), data.info(Info.STRATEGY_AMOUNT));
        return chosen == null ? SamplingStrategy.ofRead(interval()) : chosen;
    }

    /**
     * {@return the interval that the recording requested last, in bytes; 0 for every allocation,
     * and where {@link #strategy()} counts allocations} Each sample is weighed with the interval
     * with which it was drawn, which may have been another.
     */
    public long interval() {
        return data.info(Info.INTERVAL);
    }

    /** {@return how many garbage collections were observed since {@link #startedAt()}} */
    public long collections() {
        return data.info(Info.COLLECTIONS);
    }

    /**
     * {@return whether {@link SnapshotOptions#afterGc()} was requested and the collection took
     * place; true if every object found live has survived a full collection just now}
     */
    public boolean isAfterGc() {
        return data.hasFlag(Info.FLAG_GC_DONE);
    }

    /** {@return the garbage collector of the JVM that was sampled} */
    public GarbageCollector collector() {
        long ordinal = data.info(Info.COLLECTOR);
        return ordinal >= 0 && ordinal < COLLECTORS.length
                ? COLLECTORS[(int) ordinal]
                : GarbageCollector.UNKNOWN;
    }

    /**
     * {@return the version of Java of the JVM that was sampled: the feature version, such as 17;
     * empty if it is not known}
     */
    public OptionalInt javaVersion() {
        int feature = (int) data.info(Info.FEATURE);
        return feature > 0 ? OptionalInt.of(feature) : OptionalInt.empty();
    }

    /**
     * {@return what was dropped, folded or shortened: each cause with its count of samples, 0
     * included}
     */
    public Map<DropCause, Long> dropped() {
        return dropped;
    }

    /**
     * {@return the notes on these figures, such as the limits of this JVM and its collector; empty
     * if nothing limits the figures}
     */
    public List<Note> notes() {
        return notes;
    }

    @Override
    public String toString() {
        return "HeapSnapshot of " + takenAt() + ": " + sites.size() + " sites, " + totals;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Which sites grow: over snapshots, which are kept deflated, and by the objects that were born in a
 * closer look and stayed. At most {@value #MOST} snapshots are kept, of {@value #MOST_BYTES} bytes
 * before they are deflated, in which three full tables of the default size have room. While growth
 * is computed, all of them are unpacked, for one caller at a time. Safe for use by many threads.
 */
final class Growth {

    static final int MOST_BYTES = 12 << 20;

    private static final int MOST = 8;

    /** What growth takes. */
    private static final int LEAST = 3;

    private static final int MOST_SITES = 64;

    /** Objects of a leak come from many times. */
    private static final int LEAST_AGES = 4;

    /** What an earlier closer look has seen may be over. */
    private static final long OLD_MILLIS = 900_000;

    static final class Packed {
        final byte[] bytes;
        final long length;
        final long takenMillis;

        Packed(HeapSnapshot snapshot) {
            Deflater deflater = new Deflater(Deflater.BEST_SPEED);
            ByteArrayOutputStream to = new ByteArrayOutputStream();
            try (DeflaterOutputStream out = new DeflaterOutputStream(to, deflater)) {
                snapshot.writeTo(out);
                out.finish();
                length = deflater.getBytesRead();
            } catch (IOException e) {
                throw new UncheckedIOException(e); // An array takes all.
            } finally {
                deflater.end();
            }
            bytes = to.toByteArray();
            takenMillis = snapshot.takenAt().toEpochMilli();
        }

        HeapSnapshot unpacked() {
            try (var in = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
                return HeapSnapshot.read(in);
            } catch (IOException e) {
                throw new UncheckedIOException(e); // It was written by this class.
            }
        }
    }

    /** Guarded by this. */
    final List<Packed> snapshots = new ArrayList<>();

    /** The longest snapshot without room; 0 if growth has what it takes. */
    private volatile long tooLong;

    /** Lines of the last closer look, and when its snapshot was taken. */
    private List<SiteEvidence> born = List.of();

    private long bornMillis;

    /** Computed at the first request after a snapshot. */
    private @Nullable List<SiteEvidence> growing;

    /** Computed with them. */
    private LabelShare grown = LabelShare.NONE;

    /** Computed at the first request after a snapshot. */
    private @Nullable LabelShare held;

    synchronized void clear() {
        snapshots.clear();
        born = List.of();
        growing = null;
        held = null;
        tooLong = 0;
    }

    /**
     * Adds one that is later than the others. If there are too many, the one goes whose neighbours
     * are closest together, so that the span grows; the oldest if not even three have room.
     */
    synchronized void add(HeapSnapshot snapshot) {
        snapshots.add(new Packed(snapshot));
        growing = null;
        held = null;
        tooLong = 0;
        while (snapshots.size() > MOST || length() > MOST_BYTES) {
            boolean isGrowthLost = snapshots.size() <= LEAST;
            Packed gone = snapshots.remove(isGrowthLost ? 0 : closest());
            tooLong = isGrowthLost ? Math.max(tooLong, gone.length) : 0;
        }
    }

    /** The value of a label that explains most of the growth by samples, or of the live bytes. */
    synchronized LabelShare label(boolean isGrowth) {
        if (isGrowth) {
            growing();
            return grown;
        }
        if (held == null && !snapshots.isEmpty()) {
            try {
                held = LabelShare.ofLive(snapshots.get(snapshots.size() - 1).unpacked());
            } catch (VirtualMachineError | LinkageError e) {
                return LabelShare.NONE; // As for sites.
            }
        }
        return held == null ? LabelShare.NONE : held;
    }

    private int closest() {
        int best = 1;
        for (int i = 2; i < snapshots.size() - 1; i++) {
            best = gap(i) < gap(best) ? i : best;
        }
        return best;
    }

    private long gap(int i) {
        return snapshots.get(i + 1).takenMillis - snapshots.get(i - 1).takenMillis;
    }

    private long length() {
        return snapshots.stream().mapToLong(each -> each.length).sum();
    }

    synchronized SiteBook.Span span(long ahead) {
        return snapshots.isEmpty()
                ? new SiteBook.Span(0, 0)
                : new SiteBook.Span(
                        snapshots.get(0).takenMillis - ahead,
                        snapshots.get(snapshots.size() - 1).takenMillis - ahead);
    }

    /** Adds the live bytes of objects born in a time; returns the number of their samples. */
    synchronized long addBorn(HeapSnapshot snapshot, long millis) {
        SiteView view = new SiteView(snapshot, 0, LiveSet.NONE, -1);
        List<SiteEvidence> sites = new ArrayList<>();
        for (SiteMetrics site : view.largest(SiteBook.MOST_SITES, new SiteLives(0))) {
            SiteSum sum = new SiteSum();
            sum.add(site.live());
            sites.add(site.evidence("growth", sum.shareOf(millis / 1000.0), "bytes/s"));
        }
        born = Places.addedUp(sites);
        born.removeIf(line -> line.estimate().hasTooFewSamples());
        bornMillis = snapshot.takenAt().toEpochMilli();
        growing = null;
        return snapshot.totals().live().samples();
    }

    /** Those that grow over the snapshots, fastest first, and other lines of a closer look. */
    synchronized List<SiteEvidence> growing() {
        List<SiteEvidence> known = growing;
        if (known != null) {
            return known;
        }
        try {
            known = work();
        } catch (VirtualMachineError | LinkageError e) {
            return List.of(); // Rules go on without them where memory has run out.
        }
        growing = known;
        return known;
    }

    private List<SiteEvidence> work() {
        List<SiteEvidence> found = new ArrayList<>();
        Set<String> lines = new HashSet<>();
        grown = LabelShare.NONE;
        if (snapshots.size() >= LEAST) {
            HeapGrowth growth = overSnapshots();
            for (SiteGrowth site : growth.growing()) {
                if (site.birthEpochs() >= LEAST_AGES && found.size() < MOST_SITES) {
                    List<HeapFrame> stack = Places.kept(site.stack());
                    Estimate rate = site.bytesPerSecond();
                    lines.add(Places.place(site.className(), stack));
                    found.add(new SiteEvidence(site.className(), stack, "growth", rate, "bytes/s"));
                }
            }
            grown = label(growth, lines);
        }
        int last = snapshots.size() - 1;
        boolean isNew = last < 0 || snapshots.get(last).takenMillis - bornMillis < OLD_MILLIS;
        for (SiteEvidence line : isNew ? born : List.<SiteEvidence>of()) {
            if (lines.add(Places.place(line.className(), line.stack()))) {
                found.add(line);
            }
        }
        return List.copyOf(found);
    }

    private static LabelShare label(HeapGrowth growth, Set<String> lines) {
        try {
            return lines.isEmpty() ? LabelShare.NONE : LabelShare.ofGrowth(growth, lines);
        } catch (VirtualMachineError | LinkageError e) {
            return LabelShare.NONE; // The sites are known.
        }
    }

    private HeapGrowth overSnapshots() {
        List<HeapSnapshot> all = new ArrayList<>();
        for (Packed each : snapshots) {
            all.add(each.unpacked());
        }
        return HeapGrowth.of(all);
    }

    /** Returns a note if snapshots have no room, so that growth is not known. */
    List<String> notes() {
        String most = Text.bytes(MOST_BYTES);
        return tooLong == 0
                ? List.of()
                : List.of(TableRule.note("growth.not", most, Text.bytes(tooLong)));
    }
}

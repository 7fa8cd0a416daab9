// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SiteGrowth;
import io.heapsampler.doctor.internal.text.Text;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots over which growth is computed. They are compressed because a snapshot holds every
 * frame and every name of its application. There are at most {@value #MOST} of them, and they take
 * at most {@value #MOST_BYTES} bytes for any application. While growth is computed, all of them are
 * unpacked: at most {@value #MOST_UNPACKED_BYTES} bytes in their written form, and the objects made
 * from these. Three full tables of the default size, with 65,536 samples and 5,000 stacks each,
 * have room. For one thread at a time.
 */
final class PackedSnapshots {

    static final int MOST_BYTES = 2_560 << 10;

    static final int MOST_UNPACKED_BYTES = 16 << 20;

    private static final int MOST = 8;

    /** The bytes of a live sample in a snapshot. */
    private static final int ROW = 40;

    /** What growth takes. */
    private static final int LEAST = 3;

    private static final class Packed {
        final byte[] bytes;
        final long unpacked;
        final Instant takenAt;

        Packed(HeapSnapshot snapshot) {
            Deflater deflater = new Deflater(Deflater.BEST_SPEED);
            try {
                this.bytes = pack(snapshot, deflater);
                this.unpacked = deflater.getBytesRead();
            } finally {
                deflater.end();
            }
            this.takenAt = snapshot.takenAt();
        }
    }

    private final List<Packed> all = new ArrayList<>();

    /**
     * Of the largest of the snapshots for which there was no room; 0 if growth has what it takes.
     */
    private long tooLarge;

    void clear() {
        all.clear();
        tooLarge = 0;
    }

    int size() {
        return all.size();
    }

    /** Bytes that all of them take. */
    long bytes() {
        long sum = 0;
        for (Packed each : all) {
            sum += each.bytes.length;
        }
        return sum;
    }

    /** Bytes of all of them before they are compressed. */
    long unpackedBytes() {
        long sum = 0;
        for (Packed each : all) {
            sum += each.unpacked;
        }
        return sum;
    }

    /** Returns when the first and the last of them were taken; null if there is none. */
    Instant @Nullable [] span() {
        return all.isEmpty()
                ? null
                : new Instant[] {all.get(0).takenAt, all.get(all.size() - 1).takenAt};
    }

    /**
     * Adds one that is later than the others. Every second one of the older goes when there are too
     * many, so that the span grows; the oldest where not even three have room.
     */
    void add(HeapSnapshot snapshot) {
        all.add(new Packed(snapshot));
        tooLarge = 0;
        while (all.size() > MOST || bytes() > MOST_BYTES || unpackedBytes() > MOST_UNPACKED_BYTES) {
            boolean isGrowthLost = all.size() <= LEAST;
            Packed gone = all.remove(isGrowthLost ? 0 : closest());
            tooLarge = isGrowthLost ? Math.max(tooLarge, gone.unpacked) : 0;
        }
    }

    /** The one, neither first nor last, that adds least: its neighbours are closest together. */
    private int closest() {
        int best = 1;
        long least = Long.MAX_VALUE;
        for (int i = 1; i < all.size() - 1; i++) {
            long gap =
                    all.get(i + 1).takenAt.toEpochMilli() - all.get(i - 1).takenAt.toEpochMilli();
            if (gap < least) {
                least = gap;
                best = i;
            }
        }
        return best;
    }

    /** Returns them as they are, to be unpacked without a lock. */
    List<byte[]> packed() {
        return all.stream().map(each -> each.bytes).toList();
    }

    /** Returns the sites that grow for sure; empty if there are fewer than three snapshots. */
    static List<SiteGrowth> growing(List<byte[]> packed) {
        if (packed.size() < LEAST) {
            return List.of();
        }
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (byte[] each : packed) {
            snapshots.add(unpack(each));
        }
        return HeapGrowth.of(snapshots).growing();
    }

    /** Returns why growth is not computed; null if the snapshots are small enough. */
    @Nullable String problem() {
        return tooLarge == 0
                ? null
                : "The growth of sites is not computed: it requires three snapshots of the"
                        + " sampler, and they do not fit in "
                        + Text.bytes(MOST_BYTES)
                        + " compressed and "
                        + Text.bytes(MOST_UNPACKED_BYTES)
                        + " unpacked, because one of them has "
                        + Text.bytes(tooLarge)
                        + ". SamplerOptions.maxTracked() makes them smaller.";
    }

    private static byte[] pack(HeapSnapshot snapshot, Deflater deflater) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, deflater)) {
            snapshot.writeTo(block);
            out.write(columns(block.toByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // An array takes all.
        }
        return bytes.toByteArray();
    }

    private static HeapSnapshot unpack(byte[] bytes) {
        try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
            return HeapSnapshot.read(new ByteArrayInputStream(rows(in.readAllBytes())));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // It was written by this class.
        }
    }

    /** Bytes that are {@value #ROW} apart come together: most of them are alike. */
    private static byte[] columns(byte[] rows) {
        byte[] columns = new byte[rows.length];
        int to = 0;
        for (int column = 0; column < ROW; column++) {
            for (int i = column; i < rows.length; i += ROW) {
                columns[to++] = rows[i];
            }
        }
        return columns;
    }

    private static byte[] rows(byte[] columns) {
        byte[] rows = new byte[columns.length];
        int from = 0;
        for (int column = 0; column < ROW; column++) {
            for (int i = column; i < rows.length; i += ROW) {
                rows[i] = columns[from++];
            }
        }
        return rows;
    }
}

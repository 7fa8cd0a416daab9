// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import com.acme.Allocations;
import com.acme.Kept;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.HeldBy;
import io.heapsampler.HeldByOptions;
import io.heapsampler.SamplerState;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SnapshotOptions;
import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.internal.shared.SampleSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Real snapshots, taken when a test wants them, or a failure. Records the calls. */
final class FakeSource implements SampleSource {

    /** So that 4 MB have 32 samples: the chance that there are none is 1e-14. */
    private static final int INTERVAL = 128 * 1024;

    private static final int SELDOM = 16 * 1024 * 1024;

    final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    volatile boolean wasStarted = true;
    volatile RuntimeException failure;
    volatile Error error;

    /** What snapshots wait for; null for nothing. */
    volatile CountDownLatch gate;

    FakeSource() {
        sampled();
    }

    /** Starts the sampler of this JVM if need be, and lets it see something. */
    static synchronized void sampled() {
        HeapSampler.start();
        startDoctor();
        HeapSampler.setInterval(INTERVAL);
        if (!isSeen(HeapSampler.snapshot())) {
            Kept.BYTES.clear();
            for (int i = 0; i < 4000; i++) {
                Kept.BYTES.add(Allocations.bytes(1024));
            }
            HeapSampler.snapshot(SnapshotOptions.afterGc());
        }
    }

    private static GcDoctor doctor;

    static synchronized void startDoctor() {
        if (doctor == null) {
            doctor = GcDoctor.start(DoctorOptions.builder().sampling(false).build());
        }
    }

    static synchronized void closeDoctor() {
        if (doctor != null) {
            doctor.close();
            doctor = null;
        }
    }

    /** The same, without what other tests have allocated, which is more than a page lists. */
    static void sampledAnew() {
        HeapSampler.start();
        HeapSampler.reset();
        sampled();
    }

    /**
     * The same, and with next to nothing of what the next allocate: many answers of few sites take
     * little time.
     */
    static void freshlySampled() {
        sampledAnew();
        HeapSampler.setInterval(SELDOM);
    }

    /** After a reset others may have been sampled since, but not what is kept here. */
    private static boolean isSeen(HeapSnapshot snapshot) {
        return snapshot.topByLive(Integer.MAX_VALUE).stream()
                .filter(site -> site.live().objects().samples() > 0)
                .flatMap(site -> site.stack().stream())
                .anyMatch(frame -> frame.className().equals(FakeSource.class.getName()));
    }

    @Override
    public HeapSnapshot snapshot(SnapshotOptions options) {
        calls.add(options.forcesGc() ? "gc" : "snapshot");
        awaitOrFail();
        return HeapSampler.snapshot();
    }

    /** A real search, without a collection. */
    @Override
    public HeldBy heldBy(HeldByOptions options) {
        calls.add("heldBy " + options);
        awaitOrFail();
        return HeapSampler.snapshot().heldBy(options);
    }

    private void awaitOrFail() {
        CountDownLatch latch = gate;
        try {
            if (latch != null && !latch.await(120, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the test never opened the gate");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (failure != null) {
            throw failure;
        }
        if (error != null) {
            throw error;
        }
    }

    @Override
    public SamplerState state() {
        return wasStarted ? SampleSource.super.state() : SamplerState.NEW;
    }

    @Override
    public SamplerStatus status() {
        return HeapSampler.status();
    }

    @Override
    public void start() {
        calls.add("start");
    }

    @Override
    public void stop() {
        calls.add("stop");
    }

    @Override
    public void setInterval(long bytes) {
        calls.add("interval " + bytes);
    }

    @Override
    public void reset() {
        calls.add("reset");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.GcDoctor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A share in the doctor of this JVM. The agent and any number of talks want one, and there is one
 * at a time: who comes first starts it, who leaves last ends it. One that somebody else has started
 * is joined, and stays. Safe for use by many threads.
 */
final class DoctorShare implements AutoCloseable {

    private static final Object LOCK = new Object();

    /** The shares in {@link #started}. Guarded by LOCK. */
    private static final List<DoctorShare> SHARES = new ArrayList<>();

    /** What a share has started; null if none has. Guarded by LOCK. */
    private static @Nullable GcDoctor started;

    private final GcDoctor doctor;
    private final boolean isOfTalk;
    private final boolean isNew;

    private DoctorShare(GcDoctor doctor, boolean isOfTalk, boolean isNew) {
        this.doctor = doctor;
        this.isOfTalk = isOfTalk;
        this.isNew = isNew;
    }

    /** Takes a share for the agent, whose own options say how to sample. */
    static DoctorShare ofAgent(boolean hasFlightRecorder) {
        DoctorOptions options =
                DoctorOptions.builder().sampling(false).flightRecorder(hasFlightRecorder).build();
        return take(options, false);
    }

    /** Takes a share for a talk. */
    static DoctorShare ofTalk() {
        return take(DoctorOptions.builder().build(), true);
    }

    private static DoctorShare take(DoctorOptions options, boolean isOfTalk) {
        synchronized (LOCK) {
            GcDoctor doctor = GcDoctor.running();
            boolean isNew =
                    doctor == null
                            || (doctor == started && SHARES.stream().allMatch(it -> it.isOfTalk));
            if (doctor == null) {
                doctor = GcDoctor.start(options);
                started = doctor;
                SHARES.clear();
            }
            DoctorShare share = new DoctorShare(doctor, isOfTalk, isNew);
            if (doctor == started) {
                SHARES.add(share);
            }
            return share;
        }
    }

    GcDoctor doctor() {
        return doctor;
    }

    /** Says whether it watches because of talks only: it may have seen little. */
    boolean isNew() {
        return isNew;
    }

    @Override
    public void close() {
        synchronized (LOCK) {
            if (SHARES.remove(this) && SHARES.isEmpty()) {
                started = null;
                doctor.close();
            }
        }
    }
}

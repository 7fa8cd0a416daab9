// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.doctor.GcDoctor;
import java.nio.charset.StandardCharsets;

/** The doctor of this JVM while a talk goes on; it stays as long as others want it. */
final class SessionDoctor implements AutoCloseable {

    /** As many seconds it must have watched before its diagnosis is worth reading. */
    private static final int ENOUGH_TICKS = 60;

    private final GcDoctor doctor = GcDoctor.start();

    /** Says whether it has watched long enough: {@code new} or {@code running}. */
    String state() {
        return doctor.timeline().ticks().size() < ENOUGH_TICKS ? "new" : "running";
    }

    byte[] diagnosis(DoctorFormat format) {
        return format.write(doctor).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        doctor.close();
    }
}

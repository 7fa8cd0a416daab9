// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.doctor.GcDoctor;
import java.nio.charset.StandardCharsets;

/**
 * The doctor of this JVM while a talk goes on. One that was there before stays when the talk ends.
 */
final class SessionDoctor implements AutoCloseable {

    private final boolean isOurs = GcDoctor.running() == null;
    private final GcDoctor doctor = GcDoctor.start();

    /** Says whether it was there before: {@code new} or {@code running}. */
    String state() {
        return isOurs ? "new" : "running";
    }

    byte[] diagnosis(DoctorFormat format) {
        return format.write(doctor).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        if (isOurs) {
            doctor.close();
        }
    }
}

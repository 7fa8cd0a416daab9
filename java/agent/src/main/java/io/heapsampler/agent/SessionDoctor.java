// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.nio.charset.StandardCharsets;

/** The doctor of this JVM while a talk goes on; it stays as long as others want it. */
final class SessionDoctor implements AutoCloseable {

    private final DoctorShare share = DoctorShare.ofTalk();

    /** Says whether it was there before talks began: {@code new} or {@code running}. */
    String state() {
        return share.isNew() ? "new" : "running";
    }

    byte[] diagnosis(DoctorFormat format) {
        return format.write(share.doctor()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        share.close();
    }
}

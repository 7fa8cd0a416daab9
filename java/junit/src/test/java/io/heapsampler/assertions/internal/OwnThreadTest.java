// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.Blocks;
import io.heapsampler.Estimate;
import io.heapsampler.assertions.internal.InheritedMeasure.OwnThread;
import io.heapsampler.internal.BlockWriter;
import org.junit.jupiter.api.Test;

/** The code and the harness allocate in one thread, and neither is taken for the other. */
class OwnThreadTest {

    private final BlockWriter writer = new BlockWriter();
    private final int code = writer.frame("com.acme.Cart", "add", 7);
    private final int called = writer.frame(Subject.class.getName(), "run", 1);
    private final int harness = writer.frame(InheritedMeasure.class.getName(), "once", 1);

    private void allocates(int bytes, int... frames) {
        writer.site(writer.stack(false, frames), "byte[]", 1, 1, bytes);
    }

    private OwnThread of(double thread) {
        return OwnThread.of(Blocks.decode(writer.write()), Estimate.of(thread, 0, thread, 3));
    }

    @Test
    void bytesOfTheHarnessDoNotCount() {
        allocates(100, code, called, harness);
        allocates(30, harness);
        writer.site(writer.stack(true, harness), "byte[]", 1, 1, 20);

        assertThat(of(150).bytes().value()).isEqualTo(100);
        assertThat(of(150).unsure()).isZero();
    }

    @Test
    void roundingIsNoDoubt() {
        allocates(100, code, called, harness);
        allocates(30, harness);

        assertThat(of(130 - 1e-9).unsure()).isZero();
    }

    @Test
    void bytesOfThreadsOfTheCodeAreTheirs() {
        allocates(100, code, called, harness);
        allocates(5_000, code);

        assertThat(of(100).bytes().value()).isEqualTo(100);
        assertThat(of(100).unsure()).isZero();
    }

    @Test
    void severalAssertionsAtOnceCannotBeSeparated() {
        allocates(100, code, called, harness); // 60 of this thread, 40 of another
        allocates(30, harness); // 20 of this thread, 10 of another

        assertThat(of(80).bytes().value()).isEqualTo(80);
        assertThat(of(80).unsure()).isEqualTo(30);
        assertThat(of(80).help()).isEqualTo(InheritedMeasure.ALONE);
    }

    @Test
    void stackWithoutTheCallerStillCounts() {
        allocates(100, code);
        allocates(30, harness);

        assertThat(of(130).bytes().value()).isEqualTo(130);
        assertThat(of(130).unsure()).isEqualTo(30);
    }

    @Test
    void cutStacksCannotBeSeparated() {
        allocates(100, code, called, harness);
        writer.site(writer.stack(true, code), "byte[]", 1, 1, 50);
        allocates(30, harness);

        assertThat(of(180).bytes().value()).isEqualTo(180);
        assertThat(of(180).unsure()).isEqualTo(30);
        assertThat(of(180).help()).isEqualTo(Drops.CUT_HELP);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * On JDK 17, a thread that attaches or detaches needs the monitor of its thread group, which any
 * code may hold. Newer JDKs do without.
 */
@ExtendWith(CleanSampler.class)
@Tag("once")
class ThreadGroupTest {

    private static ThreadGroup mainGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (!group.getName().equals("main")) {
            group = group.getParent();
        }
        return group;
    }

    /** Returns what was thrown; null if nothing was. */
    private static @Nullable Throwable whileTheGroupIsLocked(Runnable call) throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread =
                new Thread(
                        () -> {
                            synchronized (mainGroup()) {
                                call.run();
                            }
                        });
        thread.setUncaughtExceptionHandler((ended, failure) -> thrown.set(failure));
        thread.start();
        Await.end(thread);
        return thrown.get();
    }

    @Test
    void startEndsWhileTheMonitorOfTheThreadGroupIsHeld() throws Exception {
        Throwable refusal = whileTheGroupIsLocked(HeapSampler::start);
        if (refusal != null) {
            assertThat(refusal)
                    .isInstanceOf(HeapSamplingUnavailableException.class)
                    .hasMessageContaining("could not attach to the JVM in time");
            assertThat(HeapSampler.status().isSampling()).isFalse();
            assertThat(HeapSampler.status().recordings()).isZero();
            Await.until("the end of the thread", () -> OwnWorkTest.samplerThreads().isEmpty());
            HeapSampler.start();
        }
        assertThat(HeapSampler.status().isSampling()).isTrue();
    }

    @Test
    @EnabledIfEnvironmentVariable(named = "HEAPSAMPLER_LONG", matches = "true")
    void stopEndsWhileTheMonitorOfTheThreadGroupIsHeld() throws Exception {
        HeapSampler.start();
        assertThat(whileTheGroupIsLocked(HeapSampler::stop)).isNull();
        assertThat(HeapSampler.status().isSampling()).isFalse();
        Await.until("the end of the thread", () -> OwnWorkTest.samplerThreads().isEmpty());
    }
}

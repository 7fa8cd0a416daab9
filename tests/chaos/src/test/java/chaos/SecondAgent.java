// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import io.heapsampler.SamplerState;
import io.heapsampler.support.Until;
import java.util.SplittableRandom;

/**
 * Another JVMTI agent ({@code tests/native/agent/hschaos.c}), with all events that do not belong to
 * one agent alone, and at times with the allocation samples; the amount is how often these change
 * hands.
 */
final class SecondAgent implements Scenario {

    /** JVMTI_ERROR_NOT_AVAILABLE. */
    private static final int NOT_AVAILABLE = 98;

    /** Starts that came too late, of all; more is a fault. */
    private static final long MOST_LATE = 5;

    private long refusals;
    private long late;

    @Override
    public String run(long amount) throws Exception {
        NativeAgent.load();
        long before = NativeAgent.events();
        try (Crew crew = new Crew()) {
            for (int i = 0; i < 2; i++) {
                SplittableRandom random = new SplittableRandom(i);
                crew.repeat("allocator " + i, () -> Junk.make(random, 1_000));
            }
            crew.repeat("churn", () -> new ThreadChurn().run(50));
            crew.repeat("classes", () -> new HiddenChurn().run(20));
            crew.repeat("collector", System::gc);
            for (long i = 0; i < amount && !crew.hasFailed(); i++) {
                handOver();
            }
        }
        return "events=%d refusals=%d late=%d"
                .formatted(NativeAgent.events() - before, refusals, late);
    }

    private void handOver() throws Exception {
        require(NativeAgent.takeSampling() == NOT_AVAILABLE, "two have the capability");
        HeapSampler.stop();
        require(NativeAgent.takeSampling() == 0, "stop() has kept the capability");
        long samples = NativeAgent.samples();
        try {
            HeapSampler.start();
            throw new IllegalStateException("started while another samples");
        } catch (HeapSamplingUnavailableException e) {
            require(e.reason() == Reason.OWNED_BY_OTHER, "not a clear refusal: " + e);
            refusals++;
        }
        require(HeapSampler.status().state() == SamplerState.STOPPED, "not stopped");
        require(
                Until.within(120, () -> NativeAgent.samples() > samples),
                "the other agent gets no samples");
        require(NativeAgent.giveSamplingBack() == 0, "cannot be given back");
        require(Until.within(120, this::isStarted), "cannot be started again");
        long ours = HeapSampler.status().samples();
        require(Until.within(120, () -> HeapSampler.status().samples() > ours), "no samples");
    }

    /**
     * Between endless collections a thread may attach too late; that is said, and may be tried
     * again.
     */
    private boolean isStarted() {
        try {
            HeapSampler.start();
            return true;
        } catch (HeapSamplingUnavailableException e) {
            require(e.getMessage().contains("could not attach"), "not a clear refusal: " + e);
            require(++late <= MOST_LATE, "too late again and again: " + e);
            return false;
        }
    }

    private static void require(boolean isTrue, String what) {
        if (!isTrue) {
            throw new IllegalStateException(what);
        }
    }
}

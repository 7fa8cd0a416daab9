// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import java.util.SplittableRandom;

/** Every class is transformed again and again, ours and the JDK's; the amount is the rounds. */
final class Instrumented implements Scenario {

    @Override
    public String run(long amount) throws Exception {
        try (Crew crew = new Crew()) {
            SplittableRandom random = new SplittableRandom(9);
            crew.repeat("allocator", () -> Junk.make(random, 1_000));
            crew.repeat("reader", () -> HeapSampler.snapshot().topByAllocated(3));
            for (long i = 0; i < amount && !crew.hasFailed(); i++) {
                Everything.again(Agent.instrumentation());
            }
        }
        if (Everything.classes() == 0 || Entries.sum() == 0) {
            throw new IllegalStateException("nothing was instrumented");
        }
        return "transformed=%d failures=%d entries=%d"
                .formatted(Everything.classes(), Everything.failures(), Entries.sum());
    }
}

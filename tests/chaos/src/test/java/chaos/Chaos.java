// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import java.util.List;

/**
 * The JVM that is troubled: runs a scenario under the sampler, stops and resets it, looks for
 * leftovers, and prints one line of figures.
 */
public final class Chaos {

    private static final int INTERVAL = 2_048;

    private Chaos() {}

    /**
     * Runs a scenario.
     *
     * @param arguments its label, the amount
     */
    public static void main(String[] arguments) throws Exception {
        Kind kind = Kind.of(arguments[0]);
        long amount = Long.parseLong(arguments[1]);
        Scenario scenario = kind.create();
        if (Boolean.getBoolean("chaos.without")) {
            withoutSampler(kind, scenario, amount);
            return;
        }
        if (HeapSampler.unavailability() != null) {
            throw new IllegalStateException("this JVM is not supported");
        }
        Residue before = Residue.now();
        if (scenario.isSampled()) {
            start();
        }
        long begin = System.nanoTime();
        String figures = scenario.run(amount);
        long millis = (System.nanoTime() - begin) / 1_000_000;
        SamplerStatus status = HeapSampler.status();
        HeapSampler.stop();
        HeapSampler.reset();
        Junk.forget();
        List<String> left = before.leftOver();
        System.out.printf(
                "chaos scenario=%s amount=%d ms=%d samples=%d native=%d peak=%d rss=%d %s"
                        + " left=%s%n",
                kind.label(),
                amount,
                millis,
                status.samples(),
                status.memoryUsed(),
                status.memoryPeak(),
                ProcFile.rss(),
                figures,
                left);
        if (status.samples() == 0) {
            throw new IllegalStateException("nothing was sampled");
        }
        System.exit(left.isEmpty() ? 0 : 1);
    }

    static void start() {
        HeapSampler.start(
                SamplerOptions.builder()
                        .interval(INTERVAL)
                        .maxOverhead(1)
                        .maxTracked(16_384)
                        .build());
    }

    /** For the price: what the same takes when there is no sampler. */
    private static void withoutSampler(Kind kind, Scenario scenario, long amount) throws Exception {
        long begin = System.nanoTime();
        scenario.run(amount);
        System.out.printf(
                "without scenario=%s amount=%d ms=%d rss=%d%n",
                kind.label(), amount, (System.nanoTime() - begin) / 1_000_000, ProcFile.rss());
        System.exit(0);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.readme;

import io.heapsampler.DropCause;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import io.heapsampler.SamplerHold;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerStatus;
import io.heapsampler.SamplingStrategy;
import io.heapsampler.Unavailability;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;

/** The README's pieces about starting, stopping, recordings, bounds and status. */
public final class SamplingSnippets {

    private static final Logger LOGGER = System.getLogger("readme");

    private SamplingSnippets() {}

    public static void share() {
        // readme: share
        try (SamplerHold hold = HeapSampler.share("nightly-report")) {
            Work.serveForAWhile();
            System.out.println(hold.name() + ": " + HeapSampler.snapshot().totals());
        }
        // end
    }

    public static void startWhatever() {
        // readme: start
        Unavailability unavailability = HeapSampler.tryStart();
        if (unavailability != null) {
            LOGGER.log(Level.WARNING, "No heap samples: {0}", unavailability.text());
        }
        // end
        HeapSampler.stop();
    }

    public static void stopAndLook() {
        HeapSampler.start();
        // readme: stop
        HeapSampler.stop();
        HeapSnapshot last = HeapSampler.snapshot(); // the data are kept
        HeapSampler.start(); // goes on, with the same interval
        HeapSampler.stop();
        HeapSampler.reset(); // forgets the samples and gives the memory back
        // end
        LOGGER.log(Level.DEBUG, "{0}", last);
    }

    public static void intervals() {
        // readme: interval
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).build());
        HeapSampler.setInterval(256 * 1024); // while running
        // end
        HeapSampler.stop();
    }

    public static void budget() {
        // readme: overhead
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).maxOverhead(0.02).build());
        SamplerStatus now = HeapSampler.status();
        System.out.println(now.overhead() + " of the processor time at " + now.intervalInForce());
        // end
        HeapSampler.stop();
    }

    public static void otherStrategy() {
        // readme: strategy
        HeapSampler.start(
                SamplerOptions.builder().strategy(SamplingStrategy.allocations(10_000)).build());
        // end
        HeapSampler.stop();
    }

    public static void reportOnOom() {
        // readme: oom
        HeapSampler.start(SamplerOptions.builder().reportOnOom(Path.of("oom.txt")).build());
        // end
        HeapSampler.stop();
    }

    public static void reportNearLimit() {
        // readme: nearLimit
        HeapSampler.start(
                SamplerOptions.builder().reportNearLimit(0.9, Path.of("near-limit.txt")).build());
        // end
        HeapSampler.stop();
    }

    public static void recordOneThread() {
        // readme: record
        RecordingOptions everything =
                RecordingOptions.builder().interval(0).thread(Thread.currentThread()).build();
        try (HeapRecording recording = HeapSampler.record(everything)) {
            Work.handleRequest();
            HeapSnapshot mine = recording.snapshot();
            System.out.println("The request allocated " + mine.totals().allocated());
        }
        // end
    }

    public static void recordSomeClasses() {
        // readme: filter
        RecordingOptions options =
                RecordingOptions.builder()
                        .interval(16 * 1024)
                        .packageName("com.acme.cart") // and the packages below it
                        .className("byte[]") // or byte[].class
                        .duration(Duration.ofSeconds(30))
                        .build();
        // end
        HeapSampler.record(options).close();
    }

    public static void bounds() {
        // readme: bounds
        HeapSampler.start(
                SamplerOptions.builder().maxDepth(64).maxTracked(16_384).maxStacks(8_192).build());
        // end
        HeapSampler.stop();
    }

    public static void drops() {
        HeapSnapshot snapshot = HeapSampler.snapshot();
        // readme: drops
        snapshot.notes().forEach(System.out::println);
        long folded = snapshot.dropped().get(DropCause.STACKS_FULL);
        // end
        LOGGER.log(Level.DEBUG, "{0}", folded);
    }

    public static void status() {
        // readme: status
        SamplerStatus status = HeapSampler.status();
        System.out.println(status.state() + ", " + status.samples() + " samples so far");
        System.out.println("a sample costs " + status.meanSampleCost().toNanos() + " ns");
        System.out.println("native memory: " + status.memoryUsed() + " bytes");
        // end
    }

    public static void sites() {
        HeapSnapshot snapshot = HeapSampler.snapshot();
        // readme: sites
        for (HeapSite site : snapshot.topByAllocated(10)) {
            System.out.println(site.allocated().objects() + " objects of " + site.className());
            site.stack().forEach(frame -> System.out.println("    at " + frame));
        }
        // end
    }
}

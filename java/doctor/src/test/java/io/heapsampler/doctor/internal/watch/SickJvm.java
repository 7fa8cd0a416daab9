// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.doctor.Shot;
import io.heapsampler.doctor.Story;
import io.heapsampler.doctor.internal.timeline.Timeline;
import io.heapsampler.doctor.internal.timeline.TimelineFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A JVM with too little of everything, and what a sampler told in it: something for each rule. The
 * rehearsal reads it from files, which {@link #main} writes.
 */
final class SickJvm {

    static final int SNAPSHOTS = 3;

    private static final long MB = Story.MB;
    private static final int ROUNDS = 15;
    private static final String RMI = "sun.rmi.transport.GC$Daemon.run:126";
    private static final String STATISTICS = "GCReferenceStatistics";
    private static final Map<String, String> REFERENCES =
            Map.of("name", "Reference Processing", "count", "50000");

    private SickJvm() {}

    /**
     * Writes the files.
     *
     * @param arguments the folder of the resources of {@link Rehearsal}
     */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        TimelineFile.write(timeline(), folder.resolve("rehearsal.timeline"));
        int number = 0;
        for (HeapSnapshot snapshot : snapshots()) {
            number++;
            snapshot.writeTo(folder.resolve("rehearsal-" + number + ".hsnap"));
        }
    }

    static Timeline timeline() {
        return story().timeline();
    }

    private static Story story() {
        Story story = Story.serial();
        story.maxHeap = 128 * MB;
        story.initialHeap = 32 * MB;
        story.maxMetaspace = 64 * MB;
        story.maxDirect = 64 * MB;
        for (int i = 1; i <= ROUNDS; i++) {
            story.committed = Math.min(128, 32 + 8L * i) * MB;
            story.metaspace += 3 * MB;
            story.loaded += 300;
            story.direct = Math.min(62, 5L * i) * MB;
            story.resident += 30 * MB;
            events(story.second(20 * MB), i);
            story.young(300, 6 * MB).young(20, 6 * MB, "GCLocker Initiated GC");
            story.young(20, 6 * MB, "G1 Humongous Allocation").young(20, MB, "Allocation Stall");
            story.full(300, i * 5 * MB, "Allocation Failure");
            story.full(20, i * 5 * MB, "System.gc()").full(20, i * 5 * MB, "System.gc()");
            story.full(story.metaspace, 20, i * 5 * MB, "Metadata GC Threshold");
        }
        story.full(story.metaspace, 20, 75 * MB, "Metadata GC Clear Soft References");
        return story.second(20 * MB);
    }

    private static void events(Story story, int round) {
        String[] callers = {"shop.Batch.end:12", "java.nio.Bits.reserveMemory:175", RMI};
        story.event("SystemGC", 0, Map.of(), "java.lang.System.gc:0", callers[round % 3]);
        story.event("GCLocker", 5, Map.of(), "shop.Zip.pack:7");
        story.event("PromotionFailed", 0, Map.of());
        story.event("EvacuationFailed", 0, Map.of());
        story.event("ZAllocationStall", 100, Map.of(), "shop.Cart.fill:12");
        story.event("MetaspaceAllocationFailure", 0, Map.of(), "shop.Plugins.load:12");
        story.event("GCPhasePauseLevel1", 200, REFERENCES).event(STATISTICS, 0, REFERENCES);
    }

    /** After the last collection of the old generation, a second apart. */
    static List<HeapSnapshot> snapshots() {
        long last = story().now - 1_000;
        List<HeapSnapshot> snapshots = new ArrayList<>();
        for (int i = 1; i <= SNAPSHOTS; i++) {
            snapshots.add(snapshot(1_000_000, last, i));
        }
        return snapshots;
    }

    private static HeapSnapshot snapshot(long start, long last, int number) {
        long now = last + 1_000L * number;
        Shot shot = new Shot(start, now);
        int vain = shot.site("byte[]", "fill", 480.0 * MB);
        shot.dead(vain, 100, MB, last - 30, 1, last - 25, last + 50);
        shot.live(vain, 4, MB, last - 90, 2);
        int leak = shot.site("shop.Item", "keep", 100.0 * MB);
        for (int epoch = 0; epoch < 10 * number; epoch++) {
            shot.live(leak, 2, MB, start + 50L * epoch, 3);
        }
        shot.live(shot.site("shop.PluginLoader", "load", 20.0 * MB), 8, MB, start + 500, 3);
        shot.live(shot.site("java.util.zip.Inflater", "open", 20.0 * MB), 8, MB, start + 500, 3);
        int weak = shot.site("java.lang.ref.WeakReference", "refer", 200.0 * MB);
        shot.dead(weak, 12, MB, last - 500, 0, last - 500, last - 400);
        shot.live(shot.site("int[]", "frame", 80.0 * MB), 4, 4 * MB, last - 500, 1);
        return shot.unconfirmed(shot.site("long[]", "sum", 40.0 * MB), 8, MB, now - 100).take();
    }
}

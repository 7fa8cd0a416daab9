// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.DoctorOptions;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.internal.shared.GcNotifications;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Measures the memory that the doctor adds to a process that loads and drops classes, so that
 * metaspace is collected three times and more in two minutes. (ZGC collects it in its own cycles.)
 * Run it with {@code -XX:+AlwaysPreTouch} and {@code -Xms} = {@code -Xmx}: then the heap is
 * resident from the beginning. What the doctor itself adds shows right after collections of
 * metaspace, when no dropped classes are left; before them there is also what it lets the collector
 * put off. The figures are in {@code tests/doctor/sources.md}.
 */
public final class RssMain {

    private static final int KEPT = 2_000;
    private static final int METHODS = 20;
    private static final long SECOND = 1_000_000_000L;

    private static volatile byte[] sink = new byte[0];

    private final Deque<Class<?>> kept = new ArrayDeque<>();
    private final AtomicInteger ofMetaspace = new AtomicInteger();
    private final int classesPerSecond;
    private int defined;

    /** How often metaspace had been collected when memory was last read right after that. */
    private int read;

    /** The most resident memory right after such a collection, without the first two, in KiB. */
    private long mostAfter;

    private RssMain(int classesPerSecond) {
        this.classesPerSecond = classesPerSecond;
    }

    /**
     * Runs.
     *
     * @param arguments {@code none}, {@code doctor} (as by default), {@code bare} (without the
     *     sampler) or {@code sampler} (without the doctor); seconds; classes per second, 100 if not
     *     given
     */
    public static void main(String[] arguments) throws Exception {
        int seconds = Integer.parseInt(arguments[1]);
        RssMain main = new RssMain(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 100);
        try (GcDoctor doctor = start(arguments[0]);
                GcNotifications collections = main.listen()) {
            main.run(seconds);
            System.out.printf(
                    "rss %.1f MiB, peak %.1f MiB, after collections up to %.1f MiB,"
                            + " %d collections of metaspace, doctor %s, JDK %d%n",
                    kibibytes("VmRSS:") / 1024.0,
                    kibibytes("VmHWM:") / 1024.0,
                    main.mostAfter / 1024.0,
                    main.ofMetaspace.get(),
                    doctor == null && collections == null ? "?" : arguments[0],
                    Runtime.version().feature());
        }
    }

    private static @Nullable GcDoctor start(String kind) {
        if (kind.equals("sampler")) {
            HeapSampler.start();
        }
        boolean hasDoctor = kind.equals("doctor") || kind.equals("bare");
        boolean hasSampler = kind.equals("doctor");
        return hasDoctor
                ? GcDoctor.start(DoctorOptions.builder().sampling(hasSampler).build())
                : null;
    }

    private GcNotifications listen() {
        return GcNotifications.subscribe(
                ManagementFactory.getGarbageCollectorMXBeans(),
                info -> {
                    if (info.getGcCause().startsWith("Metadata")) {
                        ofMetaspace.incrementAndGet();
                    }
                });
    }

    /** Defines classes at an even rate, of which the last ones are kept. */
    private void run(int seconds) throws Exception {
        long begin = System.nanoTime();
        for (long at = 0; at < seconds; at = (System.nanoTime() - begin) / SECOND) {
            while (defined < (at + 1) * classesPerSecond) {
                kept.add(new GeneratedClassLoader().define("rss/Made" + defined++, METHODS));
                if (kept.size() > KEPT) {
                    kept.removeFirst();
                }
            }
            if (ofMetaspace.get() > read) {
                read = ofMetaspace.get();
                mostAfter = read > 2 ? Math.max(mostAfter, kibibytes("VmRSS:")) : 0;
            }
            for (int i = 0; i < 20; i++) {
                sink = new byte[64 << 10];
            }
            Thread.sleep(50);
        }
    }

    private static long kibibytes(String key) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return -1;
    }
}

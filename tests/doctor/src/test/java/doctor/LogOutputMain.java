// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import javax.management.ObjectName;

/**
 * Measures what the JVM's log reports, and costs, if it is opened at run time by the {@code vmLog}
 * diagnostic command. Needs only the JDK; see {@code tests/doctor/sources.md}.
 *
 * <p>Arguments: the file, the selection of tags (none: no log), and the load: ring, critical or
 * references.
 */
public final class LogOutputMain {

    private static final int MILLIS = 5_000;

    private static volatile Object sink = "";

    private LogOutputMain() {}

    /**
     * Runs.
     *
     * @param arguments the file, the selection, the load
     */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        boolean isLogged = !arguments[1].equals("none");
        log("list");
        System.gc();
        long collections = collections();
        long rss = rss();
        if (isLogged) {
            System.out.print(
                    log(
                            "output=" + file,
                            "what=" + arguments[1],
                            "decorators=uptimenanos,tags",
                            "output_options=filecount=1,filesize=1M"));
        }
        System.out.println("opened: RSS +" + (rss() - rss) + " KiB");
        load(arguments[2]);
        Thread.sleep(MILLIS);
        System.out.println(
                (collections() - collections) + " collections, " + size(file) + " bytes");
        if (isLogged) {
            log("output=" + file, "what=all=off");
        }
        System.out.println(
                "outputs left: " + log("list").lines().filter(l -> l.startsWith(" #")).count());
        Runtime.getRuntime().halt(0);
    }

    static String log(String... arguments) throws Exception {
        return (String)
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "vmLog",
                                new Object[] {arguments},
                                new String[] {String[].class.getName()});
    }

    private static long size(Path file) throws IOException {
        Path rotated = Path.of(file + ".0");
        return (Files.exists(file) ? Files.size(file) : 0)
                + (Files.exists(rotated) ? Files.size(rotated) : 0);
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private static long rss() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }

    private static void load(String kind) {
        switch (kind) {
            case "ring" -> start(4, LogOutputMain::ring);
            case "critical" -> {
                start(2, LogOutputMain::critical);
                start(2, LogOutputMain::allocate);
            }
            case "references" -> start(1, LogOutputMain::references);
            default -> throw new IllegalArgumentException(kind);
        }
    }

    private static void start(int threads, Runnable task) {
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void ring() {
        byte[][] ring = new byte[Integer.getInteger("ring", 30_000)][];
        Random random = new Random(1);
        while (true) {
            ring[random.nextInt(ring.length)] = new byte[1024 + random.nextInt(8192)];
        }
    }

    /** Holds critical sections for long. */
    private static void critical() {
        byte[] in = new byte[4 << 20];
        byte[] out = new byte[5 << 20];
        new Random(2).nextBytes(in);
        while (true) {
            Deflater deflater = new Deflater(9);
            deflater.setInput(in);
            deflater.finish();
            while (!deflater.finished()) {
                deflater.deflate(out);
            }
            deflater.end();
        }
    }

    private static void allocate() {
        while (true) {
            sink = new byte[2048];
        }
    }

    private static void references() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        List<Object> all = new ArrayList<>();
        while (true) {
            if (all.size() < 200_000) {
                sink = new Finalizable();
                all.add(new WeakReference<>(new Object(), queue));
            } else {
                all.clear();
            }
            sink = new byte[512];
            while (queue.poll() != null) {
                Thread.onSpinWait();
            }
        }
    }

    private static final class Finalizable {

        private static int finalized;

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            finalized++;
        }
    }
}

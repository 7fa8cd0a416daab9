// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * How full the heap is after each collection while garbage of one shape is made, with nothing tracked
 * and with budgets, in turns. Arguments: the log of the collector; the shape of the garbage; rounds;
 * budgets: 0 for nothing tracked, -1 for the default.
 *
 * <p>Shapes: {@code ring-<bytes>} are rings of nodes, each of which holds the whole ring; {@code
 * array-<bytes>} are arrays; {@code queue} is one queue whose head is dropped as its tail grows, so
 * that each node holds all that come after it.
 */
final class HeldFork {

    private static final long PHASE_BYTES = Effort.of(4096, 512) * (1L << 20);
    private static final long SLICE_BYTES = 1 << 20;
    private static final long SLICE_NANOS = 2_000_000; // 500 MB/s, so that cycles can keep up
    private static final int LIVE_NODES = 400_000; // some 30 MB
    private static final Pattern STALL =
            Pattern.compile("Allocation Stall|Pause Degenerated|Pause Full \\((?!System)");

    /** 64 bytes with compressed pointers, 72 without. */
    private static final class Node {
        private Node next = this;
        private long a, b, c, d, e, f;

        private long sum() {
            return a + b + c + d + e + f;
        }
    }

    /** What the collector said after one of its cycles. */
    private record Cycle(long used, long old) {}

    private final Path log;
    private final LongFunction<Object> garbage;
    private final List<Cycle> cycles = new ArrayList<>();
    private final Node[] live = new Node[LIVE_NODES];
    private final LongAdder made = new LongAdder();
    private Node tail = new Node();
    private volatile Object sink = this;

    private HeldFork(Path log, String shape) {
        this.log = log;
        this.garbage = maker(shape);
        for (int i = 0; i < LIVE_NODES; i++) {
            live[i] = new Node();
        }
    }

    public static void main(String[] arguments) throws Exception {
        HeldFork fork = new HeldFork(Path.of(arguments[0]), arguments[1]);
        fork.listen();
        for (int round = 0; round < Integer.parseInt(arguments[2]); round++) {
            for (int i = 3; i < arguments.length; i++) {
                fork.phase(Integer.parseInt(arguments[i]));
            }
        }
    }

    /** Returns what makes garbage and answers its last object; its argument is a number of it. */
    private LongFunction<Object> maker(String shape) {
        if (shape.equals("queue")) {
            return number -> {
                made.add(72);
                Node node = new Node();
                tail.next = node;
                tail = node;
                return node;
            };
        }
        int bytes = Integer.parseInt(shape.substring(shape.indexOf('-') + 1));
        if (shape.startsWith("array-")) {
            return number -> {
                made.add(bytes);
                return new byte[bytes];
            };
        }
        return number -> {
            made.add(bytes);
            return ring(Math.max(1, bytes / 72));
        };
    }

    private static Node ring(int nodes) {
        Node first = new Node();
        Node last = first;
        for (int i = 1; i < nodes; i++) {
            last.next = new Node();
            last = last.next;
        }
        last.next = first;
        return first;
    }

    private void listen() {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (!bean.getName().endsWith("Pauses")) {
                ((NotificationEmitter) bean)
                        .addNotificationListener((event, ignored) -> note(event), null, null);
            }
        }
    }

    private void note(Notification event) {
        var info = GarbageCollectionNotificationInfo.from((CompositeData) event.getUserData());
        if (info.getGcCause().startsWith("System")) {
            return;
        }
        long used = 0;
        long old = 0;
        for (var pool : info.getGcInfo().getMemoryUsageAfterGc().entrySet()) {
            String name = pool.getKey();
            boolean isHeap = !name.startsWith("Code") && !name.contains("space") && !name.contains("Space ");
            if (name.contains("Gen") || name.contains("Eden") || name.contains("Survivor")
                    || name.equals("ZHeap") || name.equals("Shenandoah")) {
                used += pool.getValue().getUsed();
            }
            old += name.contains("Old") ? pool.getValue().getUsed() : 0;
        }
        synchronized (cycles) {
            cycles.add(new Cycle(used, old));
        }
    }

    /** Makes garbage at an even pace and says what the collections left. */
    private void phase(int budget) throws Exception {
        HeapSampler.stop();
        HeapSampler.reset();
        System.gc();
        System.gc();
        SamplerOptions.Builder options = SamplerOptions.builder();
        HeapSampler.start((budget < 0 ? options : options.maxTracked(budget)).build());
        synchronized (cycles) {
            cycles.clear();
        }
        long stalls = stalls();
        long began = System.nanoTime();
        made.reset();
        long end = 0;
        for (long number = 0; end < PHASE_BYTES; end += SLICE_BYTES) {
            while (made.sum() < end) {
                sink = garbage.apply(number++);
            }
            long early = began + end / SLICE_BYTES * SLICE_NANOS - System.nanoTime();
            if (early > 0) {
                Thread.sleep(early / 1_000_000, (int) (early % 1_000_000));
            }
        }
        answer("b" + budget, stalls() - stalls, System.nanoTime() - began);
    }

    private void answer(String prefix, long stalls, long nanos) {
        List<Cycle> seen;
        synchronized (cycles) {
            seen = List.copyOf(cycles);
        }
        double percent = 100.0 / Runtime.getRuntime().maxMemory();
        Fork.answer(prefix + "_mean", seen.stream().mapToLong(Cycle::used).average().orElse(0) * percent);
        Fork.answer(prefix + "_max", seen.stream().mapToLong(Cycle::used).max().orElse(0) * percent);
        Fork.answer(prefix + "_old", seen.stream().mapToLong(Cycle::old).max().orElse(0) * percent);
        Fork.answer(prefix + "_cycles", seen.size());
        Fork.answer(prefix + "_stalls", stalls);
        Fork.answer(prefix + "_seconds", nanos / 1e9);
        Fork.answer(prefix + "_tracked", HeapSampler.status().tracked());
    }

    private long stalls() throws Exception {
        return STALL.matcher(Files.readString(log)).results().count();
    }
}

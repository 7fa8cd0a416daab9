// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * How full the heap is after each collection while garbage of one shape is made, with nothing
 * tracked and with budgets, in turns. Arguments: the log of the collector; the shape of the
 * garbage; rounds; budgets: 0 for nothing tracked, -1 for the default.
 *
 * <p>Shapes: {@code ring-<bytes>} are rings of nodes, each of which holds the whole ring; {@code
 * array-<bytes>} are arrays; {@code queue} is one queue whose head is dropped as its tail grows, so
 * that each node holds all that come after it.
 */
final class HeldFork {

    private static final long PHASE_BYTES = Effort.of(4096, 512) * (1L << 20);
    private static final long SLICE_BYTES = 1 << 20;
    private static final long SLICE_NANOS = 2_000_000; // 500 MB/s, so that cycles can keep up
    private static final int NODE_BYTES = 72;
    private static final int LIVE_NODES = 400_000; // some 30 MB
    private static final Pattern STALL =
            Pattern.compile("Allocation Stall|Pause Degenerated|Pause Full \\((?!System)");

    /** 64 bytes with compressed pointers, 72 without, as under ZGC. */
    @SuppressWarnings("unused") // it has a size
    private static final class Node {
        private Node next = this;
        private long a;
        private long b;
        private long c;
        private long d;
        private long e;
        private long f;
    }

    // How ZGC says how much of the heap is in use at the end of a young collection, and how much of
    // it
    // was allocated while it ran.
    private static final Pattern USED =
            Pattern.compile("GC\\(\\d+\\) [yY]: +Used:(?: +\\d+M \\(\\d+%\\)){3} +(\\d+)M.*M.*M.*");
    private static final Pattern ALLOCATED =
            Pattern.compile("GC\\(\\d+\\) [yY]: +Allocated:.* (\\d+)M [^M]*");

    private final Path log;
    private final Supplier<Object> garbage;
    private final Set<String> heapPools =
            ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .map(MemoryPoolMXBean::getName)
                    .collect(Collectors.toSet());
    private final List<Long> used = new ArrayList<>(); // bytes after each cycle; its own lock
    private final Node[] live = new Node[LIVE_NODES];
    private long made; // bytes, about, in this phase
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

    /** Returns what makes garbage and answers some of it. */
    private Supplier<Object> maker(String shape) {
        if (shape.equals("queue")) {
            return () -> {
                made += NODE_BYTES;
                tail.next = new Node();
                tail = tail.next;
                return tail;
            };
        }
        int bytes = Integer.parseInt(shape.substring(shape.indexOf('-') + 1));
        boolean isArray = shape.startsWith("array-");
        return () -> {
            made += bytes;
            return isArray ? new byte[bytes] : ring(Math.max(1, bytes / NODE_BYTES));
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
        long sum = 0;
        for (var pool : info.getGcInfo().getMemoryUsageAfterGc().entrySet()) {
            sum += heapPools.contains(pool.getKey()) ? pool.getValue().getUsed() : 0;
        }
        synchronized (used) {
            used.add(sum);
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
        synchronized (used) {
            used.clear();
        }
        int said = Files.readString(log).length();
        long began = System.nanoTime();
        made = 0;
        for (long end = 0; end < PHASE_BYTES; end += SLICE_BYTES) {
            while (made < end) {
                sink = garbage.get();
            }
            long early = began + end / SLICE_BYTES * SLICE_NANOS - System.nanoTime();
            if (early > 0) {
                Thread.sleep(early / 1_000_000, (int) (early % 1_000_000));
            }
        }
        answer("b" + budget, Files.readString(log).substring(said));
    }

    private void answer(String name, String said) {
        LongSummaryStatistics heap;
        synchronized (used) {
            heap = used.stream().mapToLong(Long::longValue).summaryStatistics();
        }
        double percent = 100.0 / Runtime.getRuntime().maxMemory();
        Fork.answer(name + "_heap", heap.getAverage() * percent);
        Fork.answer(name + "_most", heap.getMax() * percent);
        Fork.answer(name + "_cycles", heap.getCount());
        Fork.answer(name + "_stalls", STALL.matcher(said).results().count());
        Fork.answer(name + "_tracked", HeapSampler.status().tracked());
        double kept = kept(said);
        if (!Double.isNaN(kept)) {
            Fork.answer(name + "_kept", kept * (1 << 20) * percent);
        }
    }

    /** MiB that a young collection left, without the allocations meanwhile; NaN if unknown. */
    private static double kept(String said) {
        double[] inUse = USED.matcher(said).results().mapToDouble(HeldFork::number).toArray();
        double[] since = ALLOCATED.matcher(said).results().mapToDouble(HeldFork::number).toArray();
        return IntStream.range(0, Math.min(inUse.length, since.length))
                .mapToDouble(i -> inUse[i] - since[i])
                .average()
                .orElse(Double.NaN);
    }

    private static double number(MatchResult match) {
        return Double.parseDouble(match.group(1));
    }
}

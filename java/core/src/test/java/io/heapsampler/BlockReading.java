// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.sun.management.ThreadMXBean;
import io.heapsampler.internal.shared.HeldByJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds for every array of bytes, said once for the tests and for the fuzzer: it is refused
 * with the exception that is documented, or all of it can be read, however odd its figures; and
 * neither takes much more memory than the array itself.
 */
final class BlockReading {

    /** Blocks that the library wrote. The first is small. */
    static final List<String> WRITTEN =
            List.of(
                    "small-17-g1.block",
                    "wide-17-serial.block",
                    "wide-25-zgc.block",
                    "labels-25-g1.block");

    /**
     * What a decoded block may take: the most it takes is about 220 for each 4 of a short label.
     */
    private static final int BYTES_PER_BYTE = 80;

    /** Messages, sums that do not depend on the block, and what Jazzer's hooks leave behind. */
    private static final int BYTES_AT_LEAST = 512 * 1024;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private BlockReading() {}

    static byte[] written(String name) {
        try (InputStream in = BlockReading.class.getResourceAsStream("blocks/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("no block " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the block if it can be read, and says whether it can. */
    static boolean isRead(byte[] block) {
        long bound = BYTES_AT_LEAST + (long) BYTES_PER_BYTE * block.length;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        HeapSnapshot snapshot = decodeOrRefuse(block);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        if (allocated > bound) {
            // Once more: a class that is loaded on the way is not the block's.
            before = THREADS.getCurrentThreadAllocatedBytes();
            decodeOrRefuse(block);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        if (allocated > bound) {
            throw new AssertionError(
                    "a block of " + block.length + " bytes took " + allocated + " bytes");
        }
        if (snapshot != null) {
            readAll(snapshot);
        }
        return snapshot != null;
    }

    /** Null if it is refused. */
    private static @Nullable HeapSnapshot decodeOrRefuse(byte[] block) {
        try {
            return HeapSnapshot.decode(block);
        } catch (IllegalArgumentException e) {
            if (!String.valueOf(e.getMessage()).startsWith("The snapshot block is ")) {
                throw new AssertionError("refused for no reason that is said", e);
            }
            return null;
        }
    }

    private static void readAll(HeapSnapshot snapshot) {
        check(snapshot.notes(), snapshot.toString(), snapshot.collector(), snapshot.takenAt());
        check(snapshot.startedAt(), snapshot.isAfterGc(), snapshot.duration(), snapshot.dropped());
        check(
                snapshot.interval(),
                snapshot.collections(),
                snapshot.strategy(),
                snapshot.javaVersion());
        readFigures(snapshot.totals());
        snapshot.classes().forEach(BlockReading::readClass);
        snapshot.threads().forEach(BlockReading::readThread);
        snapshot.sites().forEach(BlockReading::readSite);
        snapshot.samples().forEach(BlockReading::readSample);
        check(snapshot.topByAllocated(3), snapshot.topByLive(3));
        snapshot.heldBy().ifPresent(BlockReading::readHeldBy);
        readLabels(snapshot);
    }

    private static void readLabels(HeapSnapshot snapshot) {
        snapshot.labels().forEach(BlockReading::readLabel);
        for (String key : snapshot.labelKeys()) {
            check(LabelTotals.of(snapshot.data(), new int[] {0}, key));
        }
        HeapSnapshot rest = snapshot.filter(SampleFilter.noLabel("tenant"));
        check(rest.notes(), rest.labels());
        readFigures(rest.totals());
    }

    private static void readLabel(LabelTotals totals) {
        check(totals.value(), totals.labels());
        readFigures(totals);
    }

    private static void readHeldBy(HeldBy answer) {
        check(answer.toText(100), answer.notes(), answer.way(), answer.longestPause());
        check(HeldByJson.of(answer), answer.time());
        readEstimate(answer.total().bytes());
    }

    private static void readClass(ClassTotals totals) {
        check(totals.className());
        readFigures(totals);
    }

    private static void readThread(ThreadTotals totals) {
        check(totals.threadName(), totals.threadId());
        readFigures(totals);
    }

    private static void readSite(HeapSite site) {
        check(site.className(), site.isOther(), site.isTruncated());
        readFigures(site);
        // Any site may name the deepest stack: of a few frames as much is seen.
        List<HeapFrame> stack = site.stack();
        stack.subList(0, Math.min(8, stack.size())).forEach(BlockReading::readFrame);
        if (!stack.isEmpty()) {
            readFrame(stack.get(stack.size() - 1));
        }
        check(site.ages(), site.lifetimes());
        for (TraceExample example : site.examples()) {
            check(example.traceId(), example.spanId(), example.labels(), example.toString());
        }
        for (HeapHistogram.Unit unit : HeapHistogram.Unit.values()) {
            check(site.survival(unit));
        }
    }

    private static void readFrame(HeapFrame frame) {
        check(frame.className(), frame.rawClassName(), frame.methodName(), frame.descriptor());
        check(frame.isHidden(), frame.isNative(), frame.toStackTraceElement(), frame.toString());
        check(frame.lineNumber());
    }

    private static void readSample(HeapSample sample) {
        check(sample.className(), sample.threadName(), sample.threadId(), sample.allocatedAt());
        check(sample.site().className(), sample.toString());
        check(sample.size(), sample.collectionsSurvived(), sample.weight());
        if (sample.liveness() == Liveness.DEAD) {
            check(sample.lastSeenAliveAt(), sample.foundDeadAt());
        }
    }

    private static void readFigures(HeapFigures figures) {
        for (HeapAmount amount :
                List.of(figures.allocated(), figures.live(), figures.unconfirmed())) {
            readEstimate(amount.bytes());
            readEstimate(amount.objects());
        }
        check(figures.toString());
    }

    private static void readEstimate(Estimate estimate) {
        check(estimate.value(), estimate.low(), estimate.high(), estimate.standardError());
        check(estimate.samples(), estimate.hasTooFewSamples(), estimate.toString());
    }

    private static void check(Object... values) {
        for (Object value : values) {
            if (value == null) {
                throw new AssertionError("null");
            }
        }
    }
}

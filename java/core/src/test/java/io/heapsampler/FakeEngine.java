// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Engine;
import io.heapsampler.internal.InForce;
import io.heapsampler.internal.Limits;
import io.heapsampler.internal.OvertakenException;
import io.heapsampler.internal.shared.ReportFile;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Behaves like the engine, but takes no samples, and records its calls. Several samplers can share
 * it, as copies of the classes in several class loaders do.
 */
final class FakeEngine implements Engine {

    private record Hold(String name, int wish, int overhead) {}

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final List<String> calls = new ArrayList<>();
    private final Map<Integer, Hold> holds = new LinkedHashMap<>();
    RuntimeException failure;

    /** The prefix of the calls that fail; by default all of them. */
    String failing = "";

    /** What another does just before the next recording is opened. */
    Runnable overtaking;

    /** What another does just before a recording is closed. */
    Runnable closing;

    /** What happens when the state is read, and when a thread is primed. */
    Runnable looking = () -> {};

    Runnable priming = () -> {};

    /** What happens when the report file is read. */
    Runnable reading = () -> {};

    /** What happens before a hold is given back. */
    Runnable releasing = () -> {};

    /** What another does just after the next hold was given back. */
    Runnable released = () -> {};

    /** What another does just before the next hold is taken. */
    Runnable holding = () -> {};

    /** What another does just before a report is ended. */
    Runnable ending = () -> {};

    /** What happens inside the next snapshot. */
    Runnable snapping = () -> {};

    /** Bytes that the thread had allocated when it last asked to end a hold or a recording. */
    long allocatedBeforeEnd;

    /** What the answer to a question is, given the indexes of the samples and the limits. */
    interface Holders {
        byte[] answer(int[] samples, long[] limits);
    }

    /** Sees the objects of each question. */
    interface Asked {
        void asked(int[] places, long[] allocatedMicros, long[] sizes);
    }

    Asked objects = (places, allocatedMicros, sizes) -> {};

    /** What a snapshot is; null: an empty one. */
    byte[] block;

    Holders holders = (samples, limits) -> null;

    private int handles;
    private int terms;
    private Limits limits = new Limits(0, 0, 0, 0, 0, 0, 0);
    private SamplingStrategy strategy = SamplingStrategy.bytes(0);
    private ReportFile report;
    private int recordings;
    private int own;
    private int interval;
    private boolean keeps;
    private boolean hasRun;

    /** Returns the bytes that this thread has allocated so far, counted exactly by the JVM. */
    static long allocated() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private void call(String call) {
        if (failure != null && call.startsWith(failing)) {
            throw failure;
        }
        calls.add(call);
    }

    List<String> takeCalls() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }

    @Override
    public void prepare() {}

    @Override
    public <T> T inside(Supplier<T> work) {
        return work.get();
    }

    @Override
    public int configure(Limits wanted, SamplingStrategy chosen) {
        call(
                "configure "
                        + wanted.maxTracked()
                        + (chosen.kind() == SamplingStrategy.Kind.BYTES ? "" : ", " + chosen));
        assertThat(recordings).isZero();
        limits = wanted;
        strategy = chosen;
        return ++terms;
    }

    @Override
    public void reportOnOom(ReportFile inForce, ReportFile wanted, int maxHolds) {
        if (!Objects.equals(inForce, report) || holds.size() > maxHolds) {
            throw new OvertakenException("another report");
        }
        call("report " + wanted);
        report = wanted;
    }

    @Override
    public void endReport(ReportFile file, int maxHolds) {
        ending.run();
        if (isEnding("report null") && file.equals(report) && holds.size() <= maxHolds) {
            report = null;
        }
    }

    @Override
    public ReportFile reportFile() {
        reading.run();
        return report;
    }

    /**
     * Makes a call that ends something. Returns false if it is gone; ignores the end of the JVM.
     */
    private boolean isEnding(String call) {
        try {
            call(call);
            return true;
        } catch (OvertakenException e) {
            return false;
        } catch (HeapSamplingUnavailableException e) {
            if (e.reason() != HeapSamplingUnavailableException.Reason.SHUTTING_DOWN) {
                throw e;
            }
            return true;
        }
    }

    private void beOvertaken() {
        Runnable first = overtaking;
        if (first != null) {
            overtaking = null;
            first.run();
            throw new OvertakenException("overtaken");
        }
    }

    @Override
    public int open(
            int agreed,
            int bytes,
            long[] threads,
            String[] classes,
            String[] packages,
            long nanos) {
        beOvertaken();
        assertThat(agreed).isEqualTo(terms);
        call("open " + bytes);
        recordings++;
        return ++handles;
    }

    @Override
    public int hold(
            int agreed, int bytes, int wish, int overhead, boolean keepsSamples, String name) {
        beOvertaken();
        Runnable before = holding;
        holding = () -> {};
        before.run();
        assertThat(agreed).isEqualTo(terms);
        call(
                "hold "
                        + name
                        + " "
                        + (wish == Limits.NO_WISH ? "any" : wish)
                        + (overhead == 0 ? "" : " within " + overhead));
        if (own == 0) {
            own = ++handles;
            recordings++;
            keeps = false;
        }
        interval = holds.isEmpty() ? bytes : Math.min(interval, wish);
        keeps |= keepsSamples;
        hasRun = true;
        int id = 100 + ++handles;
        holds.put(id, new Hold(name, wish, overhead));
        return id;
    }

    @Override
    public boolean release(int hold, boolean keepsSamples) {
        allocatedBeforeEnd = allocated();
        releasing.run();
        Hold held = holds.get(hold);
        if (held == null || !isEnding("release " + held.name())) {
            return false;
        }
        keeps |= keepsSamples;
        holds.remove(hold);
        if (!holds.isEmpty()) {
            int wish = holds.values().stream().mapToInt(Hold::wish).min().getAsInt();
            interval = wish == Limits.NO_WISH ? Limits.DEFAULT_INTERVAL : wish;
            return false;
        }
        boolean isClosed = !keeps;
        if (isClosed) {
            own = 0;
            recordings--;
        }
        Runnable then = released;
        released = () -> {};
        then.run();
        return isClosed;
    }

    @Override
    public InForce inForce() {
        looking.run();
        boolean isRunning = !holds.isEmpty();
        return new InForce(
                recordings,
                own,
                isRunning,
                own == 0 ? 0 : interval,
                isRunning ? 5_000_000 : 0,
                strategy.kind().ordinal(),
                strategy.kind() == SamplingStrategy.Kind.BYTES ? 0 : strategy.amount(),
                limits,
                terms,
                hasRun,
                holds.values().stream()
                        .mapToInt(Hold::overhead)
                        .filter(each -> each != 0)
                        .min()
                        .orElse(Limits.DEFAULT_OVERHEAD),
                0,
                holds.values().stream().map(Hold::name).toList(),
                new long[0]);
    }

    @Override
    public boolean pause(int handle) {
        allocatedBeforeEnd = allocated();
        return isEnding("pause " + handle);
    }

    @Override
    public void setInterval(int handle, int bytes) {
        call("interval " + handle + " " + bytes);
        if (handle == own) {
            interval = bytes;
            holds.replaceAll((id, hold) -> new Hold(hold.name(), bytes, hold.overhead()));
        }
    }

    @Override
    public void reset(int handle) {
        call("reset " + handle);
    }

    @Override
    public boolean close(int handle) {
        allocatedBeforeEnd = allocated();
        Runnable first = closing;
        if (first != null) {
            closing = null;
            first.run();
            return false;
        }
        if (!isEnding("close " + handle)) {
            return false;
        }
        recordings--;
        own = own == handle ? 0 : own;
        return true;
    }

    @Override
    public int expectCollection(int handle) {
        call("expect " + handle);
        return 7;
    }

    @Override
    public byte[] snapshot(int handle, int after, long pauseMicros) {
        String gc = after == AFTER_FORCED ? " gc" : " gc " + after;
        call("snapshot " + handle + (after == AFTER_NONE ? "" : gc));
        snapping.run();
        return block == null ? new BlockWriter().write() : block;
    }

    @Override
    public byte[] heldBy(
            int[] samples,
            int[] places,
            long[] allocatedMicros,
            long[] sizes,
            WeakReference<?>[] watched,
            long[] limits) {
        String others = watched.length == 0 ? "" : " and " + watched.length + " watched";
        call("held by of " + samples.length + others);
        objects.asked(places, allocatedMicros, sizes);
        return holders.answer(samples, limits);
    }

    @Override
    public long[] memoryGroup() {
        return null;
    }

    @Override
    public void prime() {
        priming.run();
        calls.add("prime");
    }
}

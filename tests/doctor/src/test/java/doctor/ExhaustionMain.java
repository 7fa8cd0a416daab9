// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Inside;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The JVM in which memory runs out, and stays so for some seconds, with the doctor in it. Prints
 * how far the doctor's clock went on meanwhile and afterwards, and what it found.
 */
public final class ExhaustionMain {

    private static final long SECOND = 1_000_000_000L;
    private static final long EXHAUSTED_NANOS = 4 * SECOND;
    private static final long PATIENCE_NANOS = 60 * SECOND;
    private static final BooleanSupplier FOR_EVER = () -> true;

    /** Of what fills the heap: enough for a question to the doctor. */
    private static final int BLOCK = 64 << 10;

    private static final int BLOCKS = 96;

    /** More than there will be: a list that cannot grow would leave room. */
    private static final int PLACES = 1 << 18;

    /** One at the start, one before the rehearsal, one after it. */
    private static final int TICKS_TO_REHEARSE = 3;

    /** For as often as the JVM says that memory is lacking though there is room again. */
    private static final int TRIES = 5;

    // Where memory is lacking, no text can be put together, and no stream can be asked to encode
    // it.
    private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);
    private static final byte[] FAILED_BEFORE = bytes("exit 1: failed before it was exhausted\n");
    private static final byte[] FAILED_MEANWHILE = bytes("exit 1: failed while it was exhausted\n");
    private static final byte[] FAILED_AFTER = bytes("exit 1: failed when there was room again\n");
    private static final byte[] NO_REASON = bytes("and no memory to say why\n");

    private static byte[] stage = FAILED_BEFORE;
    private static volatile boolean isLeakFound;
    private static int leastTicks;

    private ExhaustionMain() {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Runs out of memory.
     *
     * @param arguments {@code heap} or {@code metaspace}; of how many ticks the doctor must have
     *     time
     */
    public static void main(String[] arguments) throws Exception {
        try {
            leastTicks = Integer.parseInt(arguments[1]);
            run(arguments[0].equals("heap"));
        } catch (Throwable e) {
            fail(e);
        }
        System.exit(0);
    }

    private static void fail(Throwable e) throws Exception {
        OUT.write(stage);
        try {
            e.printStackTrace(System.out);
        } catch (OutOfMemoryError | LinkageError again) {
            OUT.write(NO_REASON);
        }
        Runtime.getRuntime().halt(1);
    }

    private static void run(boolean isHeap) throws Exception {
        try (GcDoctor doctor = GcDoctor.start()) {
            doctor.addListener(finding -> isLeakFound |= finding.id().equals("metaspace.leak"));
            awaitRehearsal(doctor);
            CaseMain.rehearse(doctor);
            ticks(doctor, 0, 0);
            print(doctor, Long.MAX_VALUE, Long.MAX_VALUE);
            long[] span = isHeap ? exhaustHeap(doctor) : exhaustMetaspace(doctor);
            stage = FAILED_AFTER;
            for (int i = 1; !isTold(doctor, span[0], span[1], i == TRIES); i++) {
                System.gc();
            }
        }
    }

    /**
     * Waits until the doctor has loaded the classes that it will need: its thread does so after its
     * own first tick and before the next. A slow machine had run out of metaspace before that.
     */
    private static void awaitRehearsal(GcDoctor doctor) throws InterruptedException {
        long latest = System.nanoTime() + PATIENCE_NANOS;
        while (Inside.ticks(doctor).size() < TICKS_TO_REHEARSE) {
            if (System.nanoTime() - latest >= 0) {
                throw new IllegalStateException("the doctor's clock stands still");
            }
            Thread.sleep(20);
        }
    }

    /** The JVM may say once more that memory is lacking, by what it saw of the last collections. */
    private static boolean isTold(GcDoctor doctor, long exhausted, long over, boolean isLast)
            throws Exception {
        try {
            System.out.println(
                    String.join(" ", "exhausted for ms", Long.toString(over - exhausted)));
            long latest = System.nanoTime() + PATIENCE_NANOS;
            while (CaseMain.lastTick(doctor) < over + 1_000 && System.nanoTime() < latest) {
                Thread.sleep(100);
            }
            print(doctor, exhausted, over);
            return true;
        } catch (OutOfMemoryError e) {
            if (isLast) {
                throw e;
            }
            return false;
        }
    }

    /** Whether the doctor has looked between two times; false if it cannot be queried. */
    private static boolean hasLooked(GcDoctor doctor, long from, long to) {
        try {
            return ticks(doctor, from, to) >= leastTicks;
        } catch (OutOfMemoryError | LinkageError e) {
            return false;
        }
    }

    private static int ticks(GcDoctor doctor, long from, long to) {
        int count = 0;
        for (long tick : Inside.ticks(doctor)) {
            count += tick > from && tick < to ? 1 : 0;
        }
        return count;
    }

    /**
     * Fills the heap; afterwards there is room again. To ask the doctor takes room, which some of
     * the first blocks give. What is seen then does not count: if it was too little before, they
     * are filled, and all begins anew for twice as long.
     *
     * @return when it was exhausted, and when that was over
     */
    private static long[] exhaustHeap(GcDoctor doctor) {
        List<byte[]> kept = new ArrayList<>(PLACES);
        long[] span = new long[2];
        long nanos = EXHAUSTED_NANOS;
        long end = 0;
        for (int size = BLOCK; ; ) {
            try {
                kept.add(new byte[size]);
            } catch (OutOfMemoryError e) { // Nothing new in here: to find a class takes room.
                size = Math.max(16, size / 2);
                if (span[0] == 0) {
                    stage = FAILED_MEANWHILE;
                    span[0] = System.currentTimeMillis();
                    end = System.nanoTime() + nanos;
                }
                if (System.nanoTime() - end >= 0) {
                    span[1] = System.currentTimeMillis();
                    for (int i = 0; i < BLOCKS; i++) {
                        kept.set(i, null);
                    }
                    nanos *= 2;
                    if (nanos > PATIENCE_NANOS || hasLooked(doctor, span[0], span[1])) {
                        return span;
                    }
                    refill(kept);
                    size = BLOCK;
                    span[0] = 0;
                }
            }
        }
    }

    /** In the same places: the list itself could not grow. */
    private static void refill(List<byte[]> kept) {
        try {
            for (int i = 0; i < BLOCKS; i++) {
                kept.set(i, new byte[BLOCK]);
            }
        } catch (OutOfMemoryError e) {
            return; // It is full.
        }
    }

    /** The same for metaspace, where to ask takes nothing, until the doctor has found the leak. */
    private static long[] exhaustMetaspace(GcDoctor doctor) throws Exception {
        Loaders loaders = Loaders.leaking();
        long begin = 0;
        long first = 0;
        long now = 0;
        while (begin == 0
                || now - first < EXHAUSTED_NANOS
                || (now - first < PATIENCE_NANOS
                        && !(isLeakFound && hasLooked(doctor, begin, Long.MAX_VALUE)))) {
            try {
                loaders.run(FOR_EVER);
            } catch (OutOfMemoryError e) { // Nothing new in here: there is no room for classes.
                now = System.nanoTime();
                if (begin == 0) {
                    stage = FAILED_MEANWHILE;
                    begin = System.currentTimeMillis();
                    first = now;
                }
            }
        }
        long[] span = {begin, System.currentTimeMillis()};
        loaders.forget();
        System.gc();
        return span;
    }

    private static void print(GcDoctor doctor, long exhausted, long over) {
        int during = ticks(doctor, exhausted, over);
        int after = ticks(doctor, over, Long.MAX_VALUE);
        System.out.println(
                String.join(
                        " ",
                        "ticks during",
                        Integer.toString(during),
                        "after",
                        Integer.toString(after)));
        CaseMain.print(doctor.diagnosis(), System.out);
    }
}

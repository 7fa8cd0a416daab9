// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Tick;
import io.heapsampler.doctor.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The JVM in which memory runs out, and stays so for some seconds, with the doctor in it. Prints
 * how far the doctor's clock went on meanwhile and afterwards, and what it found.
 */
public final class ExhaustionMain {

    private static final int EXHAUSTED_SECONDS = 4;
    private static final BooleanSupplier FOR_EVER = () -> true;
    private static final int LEAST_TICKS = 3;
    private static final int PATIENCE_SECONDS = 60;

    private ExhaustionMain() {}

    /**
     * Runs out of memory.
     *
     * @param arguments {@code heap} or {@code metaspace}
     */
    public static void main(String[] arguments) throws Exception {
        boolean isHeap = arguments[0].equals("heap");
        try (GcDoctor doctor = GcDoctor.start()) {
            CaseMain.rehearse(doctor);
            print(doctor, Long.MAX_VALUE, Long.MAX_VALUE);
            long exhausted = isHeap ? exhaustHeap(doctor) : exhaustMetaspace(doctor);
            long over = System.currentTimeMillis();
            System.out.println(
                    String.join(" ", "exhausted for ms", Long.toString(over - exhausted)));
            long latest = over + PATIENCE_SECONDS * 1_000L;
            while (CaseMain.lastTick(doctor) < over + 1_000
                    && System.currentTimeMillis() < latest) {
                Thread.sleep(100);
            }
            print(doctor, exhausted, over);
        }
        System.exit(0);
    }

    /** When it has lasted, and the doctor has looked meanwhile, however late its turns came. */
    private static boolean isOver(GcDoctor doctor, long begin, long end) {
        long late = System.nanoTime() - end;
        if (late < 0) {
            return false;
        }
        try {
            return late > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)
                    || ticksSince(doctor, begin) >= LEAST_TICKS;
        } catch (OutOfMemoryError | LinkageError e) {
            return true; // It cannot be asked.
        }
    }

    private static int ticksSince(GcDoctor doctor, long begin) {
        int since = 0;
        for (Tick tick : doctor.timeline().ticks()) {
            since += tick.atMillis() > begin ? 1 : 0;
        }
        return since;
    }

    /** Returns when it was exhausted first; afterwards there is room again. */
    private static long exhaustHeap(GcDoctor doctor) {
        List<byte[]> kept = new ArrayList<>();
        long begin = 0;
        long end = 0;
        for (int size = 64 << 10; begin == 0 || !isOver(doctor, begin, end); ) {
            try {
                kept.add(new byte[size]);
            } catch (OutOfMemoryError e) {
                size = Math.max(16, size / 2);
                if (begin == 0) {
                    begin = System.currentTimeMillis();
                    end = System.nanoTime() + TimeUnit.SECONDS.toNanos(EXHAUSTED_SECONDS);
                }
            }
        }
        return begin;
    }

    /** The same for metaspace. */
    private static long exhaustMetaspace(GcDoctor doctor) throws Exception {
        Loaders loaders = Loaders.leaking();
        long begin = 0;
        long end = 0;
        while (begin == 0 || !isOver(doctor, begin, end)) {
            try {
                loaders.run(FOR_EVER);
            } catch (OutOfMemoryError e) { // Nothing new in here: there is no room for classes.
                if (begin == 0) {
                    begin = System.currentTimeMillis();
                    end = System.nanoTime() + EXHAUSTED_SECONDS * 1_000_000_000L;
                }
            }
        }
        loaders.forget();
        System.gc();
        return begin;
    }

    private static void print(GcDoctor doctor, long exhausted, long over) {
        Timeline timeline = doctor.timeline();
        int during = 0;
        int after = 0;
        for (Tick tick : timeline.ticks()) {
            during += tick.atMillis() > exhausted && tick.atMillis() < over ? 1 : 0;
            after += tick.atMillis() > over ? 1 : 0;
        }
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

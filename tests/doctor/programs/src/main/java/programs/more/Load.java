// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats work at a steady rate for the seconds of the first argument, and prints how many turns
 * were done and how many were due. A late turn is done as soon as possible. Used by one thread.
 */
public final class Load {

    /** The exit status of a program that ran out of memory. */
    private static final int EXHAUSTED = 3;

    /** Work of one turn; the number of the turn begins with 0. */
    public interface Work {
        void turn(int number) throws Exception;
    }

    private Load() {}

    public static double seconds(String... args) {
        return Double.parseDouble(args[0]);
    }

    /** Runs the given number of turns, evenly over the seconds. */
    public static void spread(int turns, String[] args, Work work) {
        run(turns, seconds(args), work);
    }

    /** Runs this many turns a second. */
    public static void at(double perSecond, String[] args, Work work) {
        run((int) Math.round(perSecond * seconds(args)), seconds(args), work);
    }

    private static void run(int turns, double seconds, Work work) {
        long start = System.nanoTime();
        long end = start + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        double step = (end - start) / (double) turns;
        int done = 0;
        try {
            while (done < turns && System.nanoTime() < end) {
                work.turn(done++);
                LockSupport.parkNanos(start + (long) (done * step) - System.nanoTime());
            }
        } catch (OutOfMemoryError e) {
            System.out.printf("pace: exhausted after %.1f s: %s%n", elapsed(start), e);
            System.exit(EXHAUSTED);
        } catch (Exception e) {
            throw new IllegalStateException("turn " + done, e);
        }
        System.out.printf("pace: %,d of %,d turns in %.1f s%n", done, turns, elapsed(start));
    }

    private static double elapsed(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}

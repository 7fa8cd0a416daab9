// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Repeats work at a steady rate, so that a program does the same work on a fast and on a slow
 * machine. Used by one thread.
 */
final class Pace {

    /** Work of one turn; the number of the turn begins with 0. */
    interface Work {
        void turn(int number) throws Exception;
    }

    /** The exit status of a program that ran out of memory. */
    static final int EXHAUSTED = 3;

    private static final long TICK_MILLIS = 10;

    private final long seconds;

    private Pace(long seconds) {
        this.seconds = seconds;
    }

    /** Reads the seconds to run from the first argument. */
    static Pace of(String... args) {
        return new Pace(Long.parseLong(args[0]));
    }

    /** Returns the given argument behind the seconds, or a default. */
    static String arg(String[] args, int index, String orElse) {
        return args.length > index ? args[index] : orElse;
    }

    long seconds() {
        return seconds;
    }

    /**
     * Runs the work at the given rate until the time is over, then prints how many turns were done
     * and how many were due, and the memory in use. A turn that is late is done as soon as
     * possible. Ends the JVM when memory is exhausted, as many services do.
     */
    void at(double perSecond, Work work) {
        long start = System.nanoTime();
        long due = Math.round(perSecond * seconds);
        int done = 0;
        try {
            double elapsed = 0;
            while (elapsed < seconds) {
                long now = Math.round(elapsed * perSecond);
                while (done < now && elapsed < seconds) {
                    work.turn(done++);
                    elapsed = elapsed(start);
                }
                TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
                elapsed = elapsed(start);
            }
        } catch (OutOfMemoryError e) {
            exhausted(e, elapsed(start));
        } catch (Exception e) {
            throw new IllegalStateException("turn " + done, e);
        }
        System.out.printf(
                "pace: %,d of %,d turns in %.1f s, heap %,d KiB, process %s%n",
                done, due, elapsed(start), usedHeap(), residentMemory());
    }

    private static long usedHeap() {
        Runtime jvm = Runtime.getRuntime();
        return (jvm.totalMemory() - jvm.freeMemory()) >> 10;
    }

    /** Returns the resident memory as the system reports it; empty if it does not. */
    private static String residentMemory() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    private static double elapsed(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    /** Prints the error and ends the JVM. */
    static void exhausted(OutOfMemoryError e, double elapsed) {
        System.out.printf("pace: exhausted after %.1f s: %s%n", elapsed, e);
        System.exit(EXHAUSTED);
    }
}

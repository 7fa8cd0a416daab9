// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares pauses with the JVM's log open and closed, in turns within one run. Needs only the JDK
 * and {@code -Xlog:safepoint=info:file=FILE:uptimenanos:filecount=0}; see {@code
 * tests/doctor/sources.md}.
 *
 * <p>Arguments: that file, the file of the log, the selection of tags, the number of turns, and how
 * many bytes each thread allocates between two pauses of a millisecond (0: without pauses).
 */
public final class LogCostMain {

    private static final int TURN_MILLIS = 500;

    private static final Pattern SAFEPOINT =
            Pattern.compile(
                    "\\[(\\d+)ns].*\"(?:G1|Parallel|Serial|Gen|Collect|X|Z|Shen).*"
                            + "At safepoint: (\\d+) ns.*");

    private static volatile Object sink = "";

    private record Turn(boolean isOpen, long from, long to, long cpu) {}

    private LogCostMain() {}

    /**
     * Runs.
     *
     * @param arguments see above
     */
    public static void main(String[] arguments) throws Exception {
        Path log = Path.of(arguments[1]);
        int burst = Integer.parseInt(arguments[4]);
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(() -> allocate(burst));
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(3_000);
        List<Turn> turns = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
            boolean isOpen = i % 2 == 1;
            if (isOpen) {
                LogOutputMain.log(
                        "output=" + log,
                        "what=" + arguments[2],
                        "decorators=uptimenanos,tags",
                        "output_options=filecount=0");
            }
            long cpu = cpu();
            long from = uptime();
            Thread.sleep(TURN_MILLIS);
            turns.add(new Turn(isOpen, from, uptime(), cpu() - cpu));
            if (isOpen) {
                LogOutputMain.log("output=" + log, "what=all=off");
                bytes += Files.size(log);
                Files.delete(log);
            }
        }
        report(turns, Path.of(arguments[0]), bytes);
        Runtime.getRuntime().halt(0);
    }

    private static void report(List<Turn> turns, Path safepoints, long bytes) throws Exception {
        List<List<Long>> pauses = List.of(new ArrayList<>(), new ArrayList<>());
        for (String line : Files.readAllLines(safepoints)) {
            Matcher safepoint = SAFEPOINT.matcher(line);
            for (Turn turn : turns) {
                if (safepoint.matches()) {
                    long at = Long.parseLong(safepoint.group(1)) / 1_000_000;
                    if (at >= turn.from && at < turn.to) {
                        pauses.get(turn.isOpen ? 1 : 0).add(Long.valueOf(safepoint.group(2)));
                    }
                }
            }
        }
        long[] cpu = new long[2];
        turns.forEach(turn -> cpu[turn.isOpen ? 1 : 0] += turn.cpu);
        for (int i = 0; i < 2; i++) {
            List<Long> sorted = pauses.get(i).stream().sorted().toList();
            double seconds = turns.size() / 2 * TURN_MILLIS / 1e3;
            System.out.printf(
                    "%s: %.0f pauses/s, median %d us, mean %.0f us, 99%% %d us, cpu %.2f%n",
                    i == 0 ? "closed" : "open  ",
                    sorted.size() / seconds,
                    sorted.get(sorted.size() / 2) / 1_000,
                    sorted.stream().mapToLong(Long::longValue).average().orElse(0) / 1e3,
                    sorted.get(sorted.size() * 99 / 100) / 1_000,
                    cpu[i] / seconds / 1e9);
        }
        System.out.println(bytes / Math.max(1, pauses.get(1).size()) + " bytes per pause");
    }

    private static long uptime() {
        return ManagementFactory.getRuntimeMXBean().getUptime();
    }

    private static long cpu() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static void allocate(int burst) {
        byte[][] kept = new byte[2_000][];
        for (int i = 0, bytes = 0; ; i = (i + 1) % 100_000) {
            sink = new byte[1_000];
            if (i % 50 == 0) {
                kept[i / 50] = new byte[1_000];
            }
            bytes += 1_000;
            if (burst > 0 && bytes > burst) {
                bytes = 0;
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }
}

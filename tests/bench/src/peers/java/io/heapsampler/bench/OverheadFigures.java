// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What HeapSampler and others add to the CPU and wall time of applications. The arm {@code off}
 * does nothing: it shows how far the figures are off the truth. Arguments: the
 * applications wanted, none for all; the minutes for all of them are {@code -Dbench.minutes}.
 *
 * <p>JFR has no interval in bytes: it takes 150 samples a second, or keeps 256 old objects. ddprof
 * takes 256 KiB for less. java-allocation-instrumenter cannot be switched off, so that it alone is
 * compared between JVMs. {@code -Dbench.arms} has these alone be compared, such as {@code
 * ours@65536/1 off@0/1}. The empty callback, {@code empty}, is what the JVM itself takes.
 *
 * <p>Beside the CPU time of the process and the wall time stands the CPU time of the application's own
 * threads, {@code threads}: without collections, compilers and sweeper, and so less uncertain.
 *
 * <p>The product is the cost of a sample, measured in the same JVM with many of them, times the
 * samples per second: what the overhead should be where it is too small to be seen.
 */
final class OverheadFigures {

    private static final String DENSE = "_4k";
    private static final List<String> MAIN =
            List.of(
                    "ours@524288/1",
                    "ours@65536/1",
                    "ours@4096/6",
                    "empty@524288/4",
                    "empty@65536/4",
                    "async_live@524288/6",
                    "async_live@65536/6",
                    "async_live@4096/6",
                    "async_alloc@524288/6",
                    "async_alloc@65536/6",
                    "minimal@524288/6",
                    "minimal@65536/6",
                    "minimal@4096/6",
                    "off@0/4",
                    "jfr_alloc@0/6",
                    "jfr_old@0/6");
    private static final List<String> DDPROF =
            List.of("ddprof_live@524288/1", "ddprof_live@262144/1");
    private static final List<String> STOPPED = List.of("h2", "javac");
    private static final double MINUTES = 18;

    /** A figure that is known less well has not passed, wherever it is. Per cent. */
    private static final double WIDEST = 0.5;

    private static final double SHARE_OF_DDPROF = 0.15;
    private static final int INSTRUMENTER_PAIRS = Effort.of(4, 1);
    private static final int INSTRUMENTER_SECONDS = Effort.of(4, 2);

    private OverheadFigures() {}

    public static void main(String[] arguments) {
        List<String> applications =
                arguments.length > 0
                        ? List.of(arguments)
                        : Arrays.stream(Application.values()).map(Application::label).toList();
        double seconds = Effort.minutes(MINUTES) * 60 / applications.size();
        seconds = Effort.IS_QUICK ? 8 : seconds;
        String arms = System.getProperty("bench.arms", "");
        if (!arms.isEmpty()) {
            compare(applications, seconds, List.of(arms.split(" +")));
            return;
        }
        for (String application : applications) {
            Fork main = fork(application, seconds * (1 - SHARE_OF_DDPROF), MAIN);
            String prefix = "overhead_" + application + "_";
            MAIN.forEach(arm -> report(prefix, arm, main));
            if (Tool.Kind.DDPROF_LIVE.isUsable()) {
                Fork ddprof = fork(application, seconds * SHARE_OF_DDPROF, DDPROF);
                DDPROF.forEach(arm -> report(prefix, arm, ddprof));
            }
            instrumenter(prefix, application);
            if (STOPPED.contains(application)) {
                StoppedPairs.report(prefix, application);
            }
        }
    }

    private static void compare(List<String> applications, double seconds, List<String> arms) {
        for (String application : applications) {
            Fork fork = fork(application, seconds, arms);
            arms.forEach(arm -> report("overhead_" + application + "_", arm, fork));
        }
    }

    private static Fork fork(String application, double seconds, List<String> arms) {
        List<Object> all = new ArrayList<>(List.of(application, seconds));
        all.addAll(arms);
        return Fork.run(OverheadFork.class, Options.common(), all.toArray());
    }

    private static void report(String prefix, String description, Fork fork) {
        String[] parts = description.split("[@/]", -1);
        int kibibytes = Integer.parseInt(parts[1]) / 1024;
        String label = parts[0] + "_" + kibibytes + "k";
        String name = prefix + label.replace("_0k", "");
        if (fork.all(label + "_cpu").length == 0) {
            return; // no time
        }
        Report.say(name + "_blocks", fork.all(label + "_cpu").length);
        for (String clock : List.of("_cpu", "_wall")) {
            Mean percent = percent(fork.all(label + clock));
            say(name + clock + "_percent", percent, parts[0], kibibytes);
        }
        Report.say(name + "_threads_percent", percent(fork.all(label + "_threads")));
        double perSecond = Statistics.median(fork.all(label + "_samples_per_second"));
        if (perSecond > 0) {
            Report.say(name + "_samples_per_second", perSecond);
            double asked = fork.get(label + "_asked");
            if (!Double.isNaN(asked)) {
                Report.say(name + "_asked_percent", asked * 100);
            }
            product(name, fork, parts[0], kibibytes, perSecond);
        }
    }

    /** The cost of a sample, as the dense arm of the tool has it, times the samples per second. */
    private static void product(
            String name, Fork fork, String tool, int kibibytes, double perSecond) {
        double[] costs = fork.all(tool + DENSE + "_nanos_per_sample");
        if (costs.length == 0) {
            return;
        }
        Mean cost = Statistics.trimmedMean(costs);
        if (name.endsWith(DENSE)) {
            Report.say(name + "_nanos_per_sample", cost);
        } else {
            double scale = perSecond / 1e9 * 100;
            Mean percent = new Mean(cost.value() * scale, cost.halfWidth() * scale);
            say(name + "_product_percent", percent, tool, kibibytes);
        }
    }

    private static void say(String name, Mean percent, String tool, int kibibytes) {
        if (tool.equals("ours") && kibibytes >= 64) {
            double target = kibibytes == 512 ? 1 : 3;
            boolean isKnown = percent.halfWidth() <= WIDEST;
            Report.judge(name, percent, target, isKnown && percent.value() <= target);
        } else {
            Report.say(name, percent);
        }
    }

    private static Mean percent(double[] shares) {
        Mean mean = Statistics.trimmedMean(shares);
        return new Mean(mean.value() * 100, mean.halfWidth() * 100);
    }

    /** Pairs of JVMs, with and without the agent. */
    private static void instrumenter(String prefix, String application) {
        String agent = "-javaagent:" + pathOf("java-allocation-instrumenter-");
        List<Double> cpu = new ArrayList<>();
        List<Double> wall = new ArrayList<>();
        double samples = 0;
        for (int i = 0; i < INSTRUMENTER_PAIRS; i++) {
            List<String> flags = Options.common();
            Fork off = Fork.run(OverheadFork.class, flags, application, INSTRUMENTER_SECONDS);
            flags.addAll(List.of(agent, "-Xshare:off", "-D" + InstrumenterTool.PROPERTY + "=524288"));
            Fork on = Fork.run(OverheadFork.class, flags, application, INSTRUMENTER_SECONDS);
            cpu.add(Statistics.median(on.all("cpu")) / Statistics.median(off.all("cpu")) - 1);
            wall.add(Statistics.median(on.all("wall")) / Statistics.median(off.all("wall")) - 1);
            samples = on.get("samples");
        }
        Report.say(prefix + "instrumenter_512k_samples", samples);
        Report.say(prefix + "instrumenter_512k_cpu_percent", percent(array(cpu)));
        Report.say(prefix + "instrumenter_512k_wall_percent", percent(array(wall)));
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static String pathOf(String jar) {
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (new File(element).getName().startsWith(jar)) {
                return element;
            }
        }
        throw new IllegalStateException("no " + jar + " in the class path");
    }
}

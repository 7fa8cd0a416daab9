// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.util.Arrays;
import java.util.List;

/**
 * Whether the sampler stays as it was, however many threads, classes and stacks come and go: {@code
 * tests/bench/run longevity [-s <scale>] [-p <share>]}. The whole is 10 million threads with names,
 * 2 million hidden classes, 3 million stacks and 20,000 loaded classes; {@code -s 0.01} is a
 * hundredth of it. {@code -p} is the share of platform threads, which cost fifty times as much as
 * virtual ones: a fifth, on JDK 17 all.
 *
 * <p>The same work runs in three JVMs, one after the other: with HeapSampler, with the control, and
 * without any samples. The control is an agent that samples at the same interval, requests each
 * stack from the JVM and keeps nothing. Up to JDK 25 such a request makes ids of methods, which the
 * JVM never frees: two blocks of malloc for each hidden class here. The JVM counts them (104 bytes
 * and 36 of native memory tracking), but not the 36 bytes that malloc rounds up. So resident memory
 * beside the JVM's own count grows under each agent that requests stacks. The memory of HeapSampler
 * is the difference to the control.
 */
final class LongevityFigures {

    // Buffers of one size: the JVM makes them small where many threads come and go, and before JDK
    // 25
    // its samples are biased where objects do not fit into them (native/doc/estimator.md, section
    // 9).
    private static final List<String> FLAGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-Xms256m",
                    "-Xmx256m",
                    "-XX:-ResizeTLAB",
                    "-XX:TLABSize=64k",
                    "-XX:+AlwaysPreTouch",
                    "-XX:NativeMemoryTracking=summary");
    private static final double MEBIBYTE = 1 << 20;
    private static final double MOST_MIB = 32;
    private static final double MOST_UNCOUNTED_MIB = 4;
    private static final double QUICK_SCALE = 0.001;
    private static final double PLATFORM_SHARE = 0.2;

    private LongevityFigures() {}

    public static void main(String[] arguments) {
        List<String> words = Arrays.asList(arguments);
        double scale = option(words, "-s", Effort.IS_QUICK ? QUICK_SCALE : 1);
        double platform = option(words, "-p", NamedThreads.HAS_VIRTUAL ? PLATFORM_SHARE : 1);
        if (platform < 1 && !NamedThreads.HAS_VIRTUAL) {
            throw new IllegalArgumentException("-p: this JVM has platform threads only");
        }
        Fork with = fork(LongevityFork.Arm.SAMPLER, scale, platform);
        Report.say("longevity_scale", scale);
        for (String name :
                List.of("platform", "virtual", "hidden", "stacks", "loaded", "samples")) {
            Report.say("longevity_" + name, with.get(name));
        }
        Report.say("longevity_seconds", Arrays.stream(with.all("seconds")).sum());
        Report.judge("longevity_samples_until_class_is_named", most(with, "class_samples"), 10);
        Report.judge("longevity_samples_until_stack_is_whole", most(with, "stack_samples"), 10);
        Report.say("longevity_probes", with.all("class_samples").length);
        Report.say("longevity_other_of_all_percent", 100 * with.get("other"));
        Report.judge("longevity_other_of_last_round_percent", 100 * with.get("last_other"), 1);
        memory(with);
        estimates(with);
        for (String held : List.of("early", "middle")) {
            Report.say("longevity_" + held + "_live_samples", with.get(held + "_samples"));
            Report.judge("longevity_" + held + "_broken_stacks", most(with, held + "_broken"), 0);
        }
        Report.judge("longevity_mismatches", with.get("mismatches"), 0);
        resident(with, scale, platform);
        Report.table();
        Report.exit();
    }

    private static Fork fork(LongevityFork.Arm arm, double scale, double platform) {
        return Fork.run(LongevityFork.class, FLAGS, scale, platform, arm);
    }

    private static double option(List<String> words, String name, double otherwise) {
        int place = words.indexOf(name);
        return place < 0 ? otherwise : Double.parseDouble(words.get(place + 1));
    }

    private static double most(Fork fork, String name) {
        return Arrays.stream(fork.all(name)).max().orElse(Double.NaN);
    }

    /** The means of the rounds in the second half. */
    private static double[] later(Fork fork, String name) {
        double[] all = fork.all(name);
        return Arrays.stream(all, all.length / 2, all.length).map(v -> v / MEBIBYTE).toArray();
    }

    private static void memory(Fork with) {
        Report.say("longevity_memory_mean_mib", Statistics.mean(later(with, "memory")));
        Report.judge("longevity_memory_most_mib", most(with, "memory_most") / MEBIBYTE, MOST_MIB);
        Report.judge("longevity_memory_peak_mib", with.get("memory_peak") / MEBIBYTE, MOST_MIB);
        judgeNoGrowth("longevity_memory_mib_per_round", later(with, "memory"));
    }

    /**
     * The resident memory, against two runs of the same work in which HeapSampler is not loaded:
     * without any samples, and with the control.
     */
    private static void resident(Fork with, double scale, double platform) {
        Fork control = fork(LongevityFork.Arm.CONTROL, scale, platform);
        Fork without = fork(LongevityFork.Arm.WITHOUT, scale, platform);
        Report.say("longevity_seconds_control", Arrays.stream(control.all("seconds")).sum());
        Report.say("longevity_seconds_without", Arrays.stream(without.all("seconds")).sum());
        Report.say("longevity_control_samples", control.get("samples"));
        Report.say("longevity_rss_mib", Statistics.mean(later(with, "rss")));
        Report.say("longevity_rss_added_mib", Statistics.mean(added(with, without, "rss")));
        double[] jvm = added(with, without, "jvm");
        Report.say("longevity_jvm_added_mib", Statistics.mean(jvm));
        Report.say("longevity_jvm_added_mib_per_round", Statistics.slope(jvm));
        sayBeside("longevity", with);
        sayBeside("longevity_control", control);
        sayBeside("longevity_without", without);
        overControl(with, control);
    }

    /**
     * The resident memory beside the JVM's own count, in two parts. What malloc keeps free rises by
     * jumps in each JVM, also without samples. The rest is in use.
     */
    private static void sayBeside(String name, Fork fork) {
        Report.say(name + "_malloc_free_mib", Statistics.mean(later(fork, "malloc_free")));
        Report.say(
                name + "_malloc_free_mib_per_round", Statistics.slope(later(fork, "malloc_free")));
        Report.say(name + "_beside_jvm_mib", Statistics.mean(beside(fork)));
        Report.say(name + "_beside_jvm_mib_per_round", Statistics.slope(beside(fork)));
    }

    /** What HeapSampler adds to the control. */
    private static void overControl(Fork with, Fork control) {
        double[] rss = added(with, control, "rss");
        Report.judge("longevity_rss_over_control_mib", Statistics.mean(rss), MOST_MIB);
        Report.say("longevity_rss_over_control_mib_per_round", Statistics.slope(rss));
        double[] used = minus(beside(with), beside(control));
        Report.judge("longevity_beside_jvm_over_control_mib", Statistics.mean(used), MOST_MIB);
        judgeNoGrowth("longevity_beside_jvm_over_control_mib_per_round", used);
        double[] uncounted = minus(used, later(with, "ours"));
        Report.judge("longevity_uncounted_mib", Statistics.mean(uncounted), MOST_UNCOUNTED_MIB);
        judgeNoGrowth("longevity_uncounted_mib_per_round", uncounted);
    }

    /** Resident, neither in the JVM's count nor free in malloc. */
    private static double[] beside(Fork fork) {
        return minus(minus(later(fork, "rss"), later(fork, "jvm")), later(fork, "malloc_free"));
    }

    private static double[] added(Fork fork, Fork other, String name) {
        return minus(later(fork, name), later(other, name));
    }

    private static double[] minus(double[] values, double[] others) {
        double[] result = values.clone();
        Arrays.setAll(result, i -> values[i] - others[i]);
        return result;
    }

    /** Growth fails when the interval of the slope is above 0. */
    private static void judgeNoGrowth(String name, double[] values) {
        Mean slope = Statistics.slope(values);
        Report.judge(name, slope, 0, slope.low() <= 0);
    }

    /**
     * At the end, against what the program has counted. Platform threads are only reported: each
     * sets the generator of the JVM anew, so the stated errors do not hold for them
     * (native/doc/estimator.md, section 8).
     */
    private static void estimates(Fork with) {
        Report.say("longevity_platform_ratio", with.get("platform_ratio"));
        Report.say("longevity_platform_z", with.get("platform_z"));
        for (String what :
                List.of(
                        "virtual",
                        "stack",
                        "hidden",
                        "early",
                        "early_live",
                        "middle",
                        "middle_live")) {
            if (with.all(what + "_z").length > 0) {
                Report.say("longevity_" + what + "_ratio", with.get(what + "_ratio"));
                Report.judge("longevity_" + what + "_z", Math.abs(with.get(what + "_z")), 3);
            }
        }
    }
}

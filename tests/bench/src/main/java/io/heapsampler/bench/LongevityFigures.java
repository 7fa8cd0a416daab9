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
 * virtual ones: a fifth, on JDK 17 all. A run without the sampler shows what the JVM itself takes.
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
        Fork with = Fork.run(LongevityFork.class, FLAGS, scale, platform, "with");
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
        judgeFlat("longevity_memory_mib_per_round", later(with, "memory"));
    }

    /**
     * What is resident, against the same work without the sampler. The JVM itself takes more with
     * it, since it never frees the ids of methods (until JDK 25); this is told apart by the JVM's
     * account.
     */
    private static void resident(Fork with, double scale, double platform) {
        Fork without = Fork.run(LongevityFork.class, FLAGS, scale, platform, "without");
        double[] added = added(with, without, "rss");
        double[] jvm = added(with, without, "jvm");
        double[] ours = new double[added.length];
        Arrays.setAll(ours, i -> added[i] - jvm[i]);
        Report.say("longevity_seconds_without", Arrays.stream(without.all("seconds")).sum());
        Report.say("longevity_rss_mib", Statistics.mean(later(with, "rss")));
        Report.say("longevity_rss_added_mib", Statistics.mean(added));
        Report.say("longevity_jvm_added_mib", Statistics.mean(jvm));
        Report.say("longevity_jvm_added_mib_per_round", Statistics.slope(jvm));
        Report.judge("longevity_rss_beside_jvm_added_mib", Statistics.mean(ours), MOST_MIB);
        judgeFlat("longevity_rss_beside_jvm_added_mib_per_round", ours);
    }

    private static double[] added(Fork with, Fork without, String name) {
        double[] ours = later(with, name);
        double[] bare = later(without, name);
        Arrays.setAll(ours, i -> ours[i] - bare[i]);
        return ours;
    }

    private static void judgeFlat(String name, double[] values) {
        Mean slope = Statistics.slope(values);
        Report.judge(name, slope, 0, slope.low() <= 0 && slope.high() >= 0);
    }

    /**
     * At the end, against what the program has counted. Platform threads are only told: each sets
     * the generator of the JVM anew, so the stated errors do not hold for them
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

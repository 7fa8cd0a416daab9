// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the time of a thread goes that HeapSampler samples, by {@code perf}: shares of all its
 * samples by library, and of those below our callback by library and by function of ours. Arguments:
 * an application or the depth of a stack; interval. {@code -Dheapsampler.library.path} should name a
 * library with symbols.
 */
final class ProfileFigures {

    private static final int SECONDS = Effort.of(20, 3);
    private static final int TIME_TO_ATTACH = 2;
    private static final int PER_SECOND = 1999;
    private static final double LEAST_SHARE = 0.01;

    private ProfileFigures() {}

    public static void main(String[] arguments) throws Exception {
        String cell = arguments[0];
        int interval = Integer.parseInt(arguments[1]);
        Path data = Files.createTempFile("bench", ".perf");
        try (Fork fork =
                Fork.start(
                        ProfileFork.class,
                        Options.serial(),
                        cell,
                        interval,
                        SECONDS + TIME_TO_ATTACH)) {
            String pid = String.valueOf((long) fork.ask("begin"));
            Process perf = record(data, pid);
            double samples = fork.ask("work");
            end(perf);
            String prefix = "profile_" + (isStack(cell) ? "depth" : "") + cell + "_" + interval + "_";
            Report.say(prefix + "sampled", samples);
            Report.say(prefix + "asked_share", fork.ask("asked") / samples);
            Profile profile = read(data);
            // The worker does nothing but its work, all the time.
            double micros = 1e6 * (SECONDS + TIME_TO_ATTACH);
            Report.say(
                    prefix + "callback_us", micros * profile.below() / profile.samples() / samples);
            report(prefix, profile);
        } finally {
            Files.delete(data);
        }
    }

    private static boolean isStack(String cell) {
        return Character.isDigit(cell.charAt(0));
    }

    private static Process record(Path data, String pid) throws IOException {
        return start(
                List.of(
                        "perf", "record", "--quiet", "--call-graph", "fp", "--freq", "" + PER_SECOND,
                        "--output", data.toString(), "--pid", pid, "--", "sleep", "" + SECONDS));
    }

    private static Profile read(Path data) throws Exception {
        Process perf =
                start(
                        List.of(
                                "perf", "script", "--no-inline", "--fields", "comm,ip,sym,dso",
                                "--input", data.toString()));
        try (BufferedReader script =
                new BufferedReader(
                        new InputStreamReader(perf.getInputStream(), StandardCharsets.UTF_8))) {
            Profile profile = Profile.read(script, "worker-");
            end(perf);
            return profile;
        }
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static void end(Process perf) throws InterruptedException {
        int code = perf.waitFor();
        if (code != 0) {
            throw new IllegalStateException(
                    "perf ended with "
                            + code
                            + "; without root, kernel.perf_event_paranoid may forbid it");
        }
    }

    private static void report(String prefix, Profile profile) {
        Report.say(prefix + "perf_samples", profile.samples());
        say(prefix, profile.libraries(), profile.samples(), 0);
        say(prefix, Map.of("callback", profile.below()), profile.samples(), 0);
        int below = profile.below();
        say(prefix + "callback_", profile.librariesBelow(), below, 0);
        say(prefix + "self_", profile.functions(), below, LEAST_SHARE);
        say(prefix + "with_callees_", profile.withCallees(), below, LEAST_SHARE);
    }

    private static void say(
            String prefix, Map<String, Integer> counts, int all, double leastShare) {
        for (Map.Entry<String, Integer> entry : new TreeMap<>(counts).entrySet()) {
            if (entry.getValue() >= leastShare * all) {
                String name = prefix + entry.getKey() + "_share";
                Report.say(name, Statistics.share(entry.getValue(), all));
            }
        }
    }
}

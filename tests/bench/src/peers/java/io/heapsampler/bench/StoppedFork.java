// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * An application that does as it is told on its standard input: {@code measure} answers the
 * processor time of a slice of work. Arguments: the application.
 */
final class StoppedFork {

    private static final int WARM_UP_SECONDS = Effort.of(8, 1);
    private static final int WORK_SLICES = 20;

    private StoppedFork() {}

    public static void main(String[] arguments) throws Exception {
        try (Team team = new Team(1, Application.of(arguments[0])::create);
                BufferedReader words =
                        new BufferedReader(
                                new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            int times = CostFork.warmUp(team, WARM_UP_SECONDS);
            for (String word = words.readLine(); word != null; word = words.readLine()) {
                Fork.answer(word, obey(word, team, times));
            }
        }
    }

    private static double obey(String word, Team team, int times) throws Exception {
        switch (word) {
            case "load" -> {
                HeapSampler.unavailability();
                HeapSampler.snapshot();
                return 0;
            }
            case "start" -> {
                HeapSampler.start();
                return 0;
            }
            case "stop" -> {
                HeapSampler.stop();
                return 0;
            }
            case "work" -> {
                return team.work(times * WORK_SLICES).process();
            }
            default -> {
                System.gc();
                return team.work(times).process() / times;
            }
        }
    }
}

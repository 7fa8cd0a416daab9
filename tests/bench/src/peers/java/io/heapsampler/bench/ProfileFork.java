// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapSampler;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Work that is sampled by HeapSampler, to be inspected from outside. Does as it is told on its
 * standard input: {@code begin} warms up, samples from then on and answers its process id; {@code
 * work} works and answers its samples; {@code asked} returns how many stacks were requested
 * meanwhile. Arguments: an application or the depth of a stack; interval; seconds of work.
 */
final class ProfileFork {

    private static final int WARM_UP_SECONDS = Effort.of(6, 1);

    private final Team team;
    private final int interval;
    private final int seconds;
    private double asked;

    private ProfileFork(Team team, int interval, int seconds) {
        this.team = team;
        this.interval = interval;
        this.seconds = seconds;
    }

    public static void main(String[] arguments) throws Exception {
        String cell = arguments[0];
        boolean isStack = Character.isDigit(cell.charAt(0));
        try (Team team =
                        isStack
                                ? CostFork.stacks(Integer.parseInt(cell), 1)
                                : new Team(1, Application.of(cell)::create);
                BufferedReader words =
                        new BufferedReader(
                                new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            ProfileFork fork =
                    new ProfileFork(
                            team, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
            for (String word = words.readLine(); word != null; word = words.readLine()) {
                Fork.answer(word, fork.obey(word));
            }
        }
        HeapSampler.stop();
    }

    private double obey(String word) throws Exception {
        switch (word) {
            case "begin" -> {
                CostFork.warmUp(team, WARM_UP_SECONDS);
                new HeapSamplerTool().start(interval);
                team.prime();
                CostFork.warmUp(team, WARM_UP_SECONDS);
                return ProcessHandle.current().pid();
            }
            case "work" -> {
                HeapSamplerTool tool = new HeapSamplerTool();
                long samples = tool.samples();
                asked = tool.asked();
                CostFork.warmUp(team, seconds);
                asked = tool.asked() - asked;
                return tool.samples() - samples;
            }
            case "asked" -> {
                return asked;
            }
            default -> throw new IllegalArgumentException(word);
        }
    }
}

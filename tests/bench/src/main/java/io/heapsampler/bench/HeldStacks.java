// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Objects that stay, each allocated on a stack of its own, and what those stacks were. */
final class HeldStacks {

    private final Class<?> type;
    private final int[] places;
    private final List<Object> held = new ArrayList<>();
    private final Set<String> stacks = new HashSet<>();

    /**
     * Allocates them.
     *
     * @param make allocates an array of the type and returns it
     * @param places the numbers of the stacks, as {@link LongevityWork#onFreshStack} wants them
     */
    HeldStacks(Class<?> type, java.util.function.Supplier<Object> make, int... places) {
        this.type = type;
        this.places = places;
        for (int place : places) {
            LongevityWork.onFreshStack(
                    place,
                    new Runnable() {
                        @Override
                        public void run() {
                            stacks.add(stack(new Throwable().getStackTrace()));
                            held.add(make.get());
                        }
                    });
        }
    }

    int count() {
        return places.length;
    }

    String className() {
        return type.getName() + "[]";
    }

    /** The live samples of these objects. */
    List<HeapSample> live(HeapSnapshot snapshot) {
        return snapshot.samples().stream()
                .filter(sample -> sample.className().equals(className()))
                .toList();
    }

    /** How many of these do not have their whole stack. */
    long broken(List<HeapSample> live) {
        return live.stream().filter(sample -> !isWhole(sample)).count();
    }

    /** The frames above the allocating one, which is not on the stack that was noted. */
    private boolean isWhole(HeapSample sample) {
        List<HeapFrame> frames = sample.stack();
        int above = frames.size();
        for (int i = 0; i < frames.size(); i++) {
            if (frames.get(i).className().startsWith(HeldStacks.class.getName() + "$")) {
                above = i;
                break;
            }
        }
        return !sample.site().isTruncated()
                && stacks.contains(
                        frames.subList(above, frames.size()).stream()
                                .map(frame -> frame.className() + "." + frame.methodName())
                                .collect(Collectors.joining("\n")));
    }

    private static String stack(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .collect(Collectors.joining("\n"));
    }
}

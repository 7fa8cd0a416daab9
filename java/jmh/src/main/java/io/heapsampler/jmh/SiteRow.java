// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.jmh;

import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.internal.shared.LibraryCode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Allocations of a site of the benchmark, without the frames of JMH. Immutable.
 *
 * @param place the class and frames
 * @param bytes allocated
 * @param objects allocated
 * @param surviving bytes alive after a collection at the end of an iteration that is not the last
 */
record SiteRow(Place place, Sum bytes, Sum objects, Sum surviving) implements Serializable {

    /** Allocations of JMH in the threads of the benchmark. */
    static final Place OF_JMH = new Place("(JMH itself)", List.of());

    /** Sites beyond those that a result of an iteration keeps. */
    static final Place OTHERS = new Place("(other sites)", List.of());

    private static final String JMH = "org.openjdk.jmh.";

    /** The packages of JMH itself. Its samples, for example, are benchmarks as any other. */
    private static final List<String> OWN_OF_JMH =
            Stream.of("annotations", "generators", "infra", "profile", "results", "runner", "util")
                    .map(name -> JMH + name + ".")
                    .toList();

    /** What the threads of the benchmark run; other code of JMH runs in the thread of profilers. */
    private static final String WORKER = JMH + "runner.BenchmarkHandler$BenchmarkTask";

    /** In the name of each class that JMH generates to call a benchmark. */
    private static final String GENERATED = "_jmhTest";

    /** A class and frames, leaf first. Rows of a place are added up. */
    record Place(String className, List<String> frames) implements Serializable {}

    /** A figure estimated from samples, such as {@link Estimate}, which cannot be sent. */
    record Sum(double value, double variance, long samples) implements Serializable {

        /** Two-sided quantile of the normal distribution. */
        private static final double Z95 = 1.96;

        static final Sum ZERO = new Sum(0, 0, 0);

        static Sum of(Estimate estimate) {
            double error = estimate.standardError();
            return new Sum(estimate.value(), error * error, estimate.samples());
        }

        /** Returns the error at 95 %. */
        double error() {
            return Z95 * Math.sqrt(variance);
        }

        /** Returns the error at 95 % of the share in a sum of which this is a part. */
        double errorOfShare(Sum all) {
            double share = value / all.value;
            double ofThis = (1 - share) * (1 - share) * variance;
            double ofOthers = share * share * Math.max(all.variance - variance, 0);
            return Z95 * Math.sqrt(ofThis + ofOthers) / all.value;
        }

        Sum plus(Sum other) {
            return new Sum(value + other.value, variance + other.variance, samples + other.samples);
        }
    }

    /** Returns the row of a site; null if it belongs to the thread that controls iterations. */
    static @Nullable SiteRow of(HeapSite site, int depth) {
        Place place = placeOf(site, depth);
        if (place == null) {
            return null;
        }
        HeapAmount allocated = site.allocated();
        return new SiteRow(
                place,
                Sum.of(allocated.bytes()),
                Sum.of(allocated.objects()),
                Sum.of(site.live().bytes()));
    }

    /** Returns the same row without survivors. */
    SiteRow withoutSurvivors() {
        return new SiteRow(place, bytes, objects, Sum.ZERO);
    }

    private static @Nullable Place placeOf(HeapSite site, int depth) {
        List<HeapFrame> stack = site.stack();
        List<HeapFrame> own = stack;
        if (isAny(stack, name -> name.contains(GENERATED))) {
            own = stack.stream().takeWhile(each -> !each.className().contains(GENERATED)).toList();
            if (own.isEmpty() || !isOfBenchmark(own.get(own.size() - 1))) {
                return OF_JMH;
            }
        } else if (isAny(stack, SiteRow::isOfJmh)) {
            return isAny(stack, name -> name.startsWith(WORKER)) ? OF_JMH : null;
        }
        return new Place(site.className(), shown(own, depth));
    }

    /** Returns whether a method that generated code calls is the benchmark's. */
    private static boolean isOfBenchmark(HeapFrame frame) {
        return !isOfJmh(frame.className()) && !isOfJdk(frame);
    }

    private static boolean isOfJmh(String className) {
        return OWN_OF_JMH.stream().anyMatch(className::startsWith)
                || (className.startsWith(JMH) && className.indexOf('.', JMH.length()) < 0);
    }

    /** Returns the frames nearest to the allocation; the last one is outside the JDK if any is. */
    private static List<String> shown(List<HeapFrame> own, int depth) {
        List<HeapFrame> readable =
                own.stream()
                        .filter(each -> !each.isImplementation())
                        .filter(each -> !isOfJmh(each.className()))
                        .toList();
        List<HeapFrame> all = readable.isEmpty() ? own : readable;
        List<HeapFrame> shown = new ArrayList<>(all.subList(0, Math.min(depth, all.size())));
        if (shown.stream().allMatch(SiteRow::isOfJdk)) {
            all.stream()
                    .filter(each -> !isOfJdk(each))
                    .findFirst()
                    .ifPresent(each -> shown.set(depth - 1, each));
        }
        return shown.stream().map(HeapFrame::toString).toList();
    }

    private static boolean isOfJdk(HeapFrame frame) {
        return LibraryCode.isOfJdk(frame.className());
    }

    private static boolean isAny(List<HeapFrame> stack, Predicate<String> test) {
        return stack.stream().anyMatch(frame -> test.test(frame.className()));
    }

    /** Returns the sum of two rows, at the place of this one. */
    SiteRow plus(SiteRow other) {
        return new SiteRow(
                place,
                bytes.plus(other.bytes),
                objects.plus(other.objects),
                surviving.plus(other.surviving));
    }

    /** Returns the same figures at another place. */
    SiteRow at(Place other) {
        return new SiteRow(other, bytes, objects, surviving);
    }
}

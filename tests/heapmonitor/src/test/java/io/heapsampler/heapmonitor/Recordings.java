// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.heapmonitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.RecordingOptions;
import java.util.List;

/** Opens recordings and finds things in their snapshots. */
final class Recordings {

    private Recordings() {}

    /** Every allocation of this thread from here on; only of these classes, if any are named. */
    static HeapRecording exact(Class<?>... types) {
        return every(0, types);
    }

    /** Every allocation of one thread from here on; only of these classes, if any are named. */
    static HeapRecording exactOf(Thread thread, Class<?>... types) {
        return HeapSampler.record(options(0, types).thread(thread).build());
    }

    /** Allocations of this thread, at an interval; only of these classes, if any are named. */
    static HeapRecording every(long interval, Class<?>... types) {
        return HeapSampler.record(options(interval, types).thread(Thread.currentThread()).build());
    }

    /** Allocations of all threads, at an interval; only of these classes, if any are named. */
    static HeapRecording ofAllThreads(long interval, Class<?>... types) {
        return HeapSampler.record(options(interval, types).build());
    }

    private static RecordingOptions.Builder options(long interval, Class<?>... types) {
        RecordingOptions.Builder options = RecordingOptions.builder().interval(interval);
        for (Class<?> type : types) {
            options.className(nameOf(type));
        }
        return options;
    }

    /** Returns what a recording of every allocation of this thread sees of some work. */
    static HeapSnapshot during(Runnable work, Class<?>... types) {
        try (HeapRecording recording = exact(types)) {
            work.run();
            return recording.snapshot();
        }
    }

    static String nameOf(Class<?> type) {
        return type.isArray() ? nameOf(type.getComponentType()) + "[]" : type.getName();
    }

    /** Returns the sites of a class. */
    static List<HeapSite> sitesOf(HeapSnapshot snapshot, String className) {
        return snapshot.sites().stream().filter(s -> s.className().equals(className)).toList();
    }

    /** Returns the site of a class, of which there has to be just one. */
    static HeapSite siteOf(HeapSnapshot snapshot, Class<?> type) {
        return siteOf(snapshot, nameOf(type));
    }

    /** Returns the site of a class, of which there has to be just one. */
    static HeapSite siteOf(HeapSnapshot snapshot, String className) {
        List<HeapSite> sites = sitesOf(snapshot, className);
        assertThat(sites).as("sites of %s in %s", className, snapshot.sites()).hasSize(1);
        return sites.get(0);
    }

    /** Returns the samples of a class that are still kept. */
    static List<HeapSample> samplesOf(HeapSnapshot snapshot, Class<?> type) {
        return snapshot.samples().stream().filter(s -> s.className().equals(nameOf(type))).toList();
    }

    /** Returns the estimated objects of a class. */
    static double objectsOf(HeapSnapshot snapshot, Class<?> type) {
        return sitesOf(snapshot, nameOf(type)).stream()
                .mapToDouble(s -> s.allocated().objects().value())
                .sum();
    }

    /** Returns the frame of a method, the first from the leaf. */
    static HeapFrame frameOf(HeapSite site, String method) {
        return site.stack().stream()
                .filter(f -> f.methodName().equals(method))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + method + " in " + site.stack()));
    }

    /** Returns the frame of the body of a lambda in a class, the first from the leaf. */
    static HeapFrame lambdaOf(HeapSite site, Class<?> type) {
        return site.stack().stream()
                .filter(f -> f.className().equals(type.getName()))
                .filter(f -> f.methodName().startsWith("lambda$"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no lambda in " + site.stack()));
    }

    static void assertFrame(HeapFrame frame, Class<?> type, String method, int line) {
        assertThat(frame.toString())
                .isEqualTo(
                        "%s.%s(%s.java:%d)",
                        type.getName(), method, outermost(type).getSimpleName(), line);
    }

    private static Class<?> outermost(Class<?> type) {
        return type.getEnclosingClass() == null ? type : outermost(type.getEnclosingClass());
    }
}

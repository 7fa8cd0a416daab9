// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.watch;

import io.heapsampler.HeldByOptions;
import io.heapsampler.doctor.Evidence;
import io.heapsampler.doctor.internal.text.Text;
import io.heapsampler.internal.shared.ClassLoaders;
import io.heapsampler.internal.shared.LoadersText;
import io.heapsampler.internal.shared.PrintableText;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Searches the references that hold class loaders, as evidence of {@code metaspace.leak} where the
 * sampler has seen none of them: those of the class whose loaders have most classes. Listing them
 * stops the application for a time that grows with the heap.
 */
final class LoaderHolders {

    private static final int WATCHED = 50; // They are held alike, if it is a leak.

    /** What a look at all objects costs, the median of the worst shape: {@code holders.md}. */
    private static final double PAUSE_MILLIS_PER_MB = 4.4;

    private static final double PAUSE_MILLIS_PER_MB_ON_Z = 13;

    private LoaderHolders() {}

    /** Returns the pause in which the class loaders of a heap are listed. */
    static double pauseMillis(long heapUsed, boolean isZ) {
        return (isZ ? PAUSE_MILLIS_PER_MB_ON_Z : PAUSE_MILLIS_PER_MB) * heapUsed / 1e6;
    }

    /** Throws an IllegalStateException with the reason where there is no evidence. */
    static List<Evidence> search(HeldByOptions options) {
        Map<String, List<WeakReference<ClassLoader>>> loaders = new HashMap<>();
        Map<String, Integer> classes = new HashMap<>();
        long begin = System.nanoTime();
        ClassLoaders.visit(
                loader -> {
                    String name = loader.getClass().getName();
                    if (!name.startsWith("jdk.internal.")) { // Those of the JVM itself stay anyway.
                        loaders.computeIfAbsent(name, key -> new ArrayList<>())
                                .add(new WeakReference<>(loader));
                        classes.merge(name, ClassLoaders.definedBy(loader).size(), Integer::sum);
                    }
                });
        double listed = (System.nanoTime() - begin) / 1e6; // With the pause, which is most of it.
        // A leak is of many loaders; the application's own has many classes and is one.
        boolean hasSeveral = loaders.values().stream().anyMatch(each -> each.size() > 1);
        classes.keySet()
                .removeIf(name -> hasSeveral && loaders.getOrDefault(name, List.of()).size() == 1);
        String most = "";
        for (Map.Entry<String, Integer> each : classes.entrySet()) {
            most = each.getValue() > classes.getOrDefault(most, 0) ? each.getKey() : most;
        }
        List<WeakReference<ClassLoader>> all = loaders.getOrDefault(most, List.of());
        List<WeakReference<ClassLoader>> some = all.subList(0, Math.min(WATCHED, all.size()));
        return evidence(PrintableText.of(most), LoadersText.search(some, options), listed);
    }

    private static List<Evidence> evidence(String className, LoadersText found, double listed) {
        Map<String, Integer> paths = new HashMap<>();
        for (List<String> path : found.references()) {
            paths.merge(HoldersLook.text(path), 1, Integer::sum);
        }
        paths.remove("");
        if (paths.isEmpty()) {
            String text = "the search found no path to the class loaders {}.";
            throw new IllegalStateException(Text.of(text, className));
        }
        List<Evidence> evidence = new ArrayList<>();
        List<Map.Entry<String, Integer>> largest = new ArrayList<>(paths.entrySet());
        largest.sort(Map.Entry.<String, Integer>comparingByValue().reversed());
        for (var path : largest.subList(0, Math.min(HoldersLook.HOLDERS, largest.size()))) {
            double share = (double) path.getValue() / found.references().size();
            String text = "{} holds {} of the class loaders {} that were searched, {}.";
            int count = found.references().size();
            text = Text.of(text, path.getKey(), Text.share(share), className, count);
            evidence.add(new Evidence("held.by", share, "share", text));
        }
        evidence.add(HoldersLook.pause(Math.max(found.longestPauseMillis(), listed)));
        return evidence;
    }
}

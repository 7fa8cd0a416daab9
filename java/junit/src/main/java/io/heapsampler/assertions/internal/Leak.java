// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.internal.shared.ByteText;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A site, or a class whose sites are not known, with live objects that become more and more. */
final class Leak {

    /** What holds objects before what is held, then what grows most. */
    static final Comparator<Leak> KEEPER_FIRST =
            Comparator.comparing((Leak leak) -> !leak.isKeeper())
                    .thenComparing(Comparator.comparingDouble(Leak::growthInBytes).reversed())
                    .thenComparing(Leak::className);

    /** Allocate on behalf of a collection, or of a string. */
    private static final List<String> HELPERS =
            List.of("java.lang.", "java.util.Arrays", "java.util.UUID", "java.util.Formatter");

    private static final String COLLECTION =
            ".*(Map|List|Set|Queue|Deque|Cache|Table|Vector|Stack)\\b.*";

    private final String className;
    private final @Nullable LeakSite site;
    private final double[] objects;
    private final double[] bytes;

    private final int[] runs;

    private Leak(
            String className,
            @Nullable LeakSite site,
            LiveSeries live,
            LeakLooks looks,
            int first) {
        int last = looks.count() - 1;
        this.className = className;
        this.site = site;
        this.objects = live.objects(first, last);
        this.bytes = live.bytes(first, last);
        this.runs = looks.runs(first, last);
    }

    /** Returns a leak at a site, as the looks from {@code first} on prove it. */
    static Leak at(LeakSite site, LiveSeries live, LeakLooks looks, int first) {
        return new Leak(site.className(), site, live, looks, first);
    }

    /** Returns a leak of which only the class is known. */
    static Leak of(String className, LiveSeries live, LeakLooks looks, int first) {
        return new Leak(className, null, live, looks, first);
    }

    String className() {
        return className;
    }

    /** Returns where it is; null if only the class is known. */
    @Nullable LeakSite site() {
        return site;
    }

    /** Is more alive at the last look than at the first? */
    boolean hasGrown() {
        return growthInObjects() > 0 || growthInBytes() > 0;
    }

    double growthInObjects() {
        return objects[objects.length - 1] - objects[0];
    }

    double growthInBytes() {
        return bytes[bytes.length - 1] - bytes[0];
    }

    int runs() {
        return runs[runs.length - 1] - runs[0];
    }

    /**
     * Does it look as if it held the others? A node of a collection, or an array that a collection
     * made for itself.
     */
    boolean isKeeper() {
        List<StackTraceElement> stack = site == null ? List.of() : site.stack();
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            boolean isPart = className.startsWith(name + "$");
            if (isPart || HELPERS.stream().noneMatch(name::startsWith)) {
                String simple = name.substring(name.lastIndexOf('.') + 1);
                return (isPart || className.endsWith("[]")) && simple.matches(COLLECTION);
            }
        }
        return false;
    }

    /** Returns such as {@code +1 object (32 bytes) in each of 10 runs}. */
    String curve() {
        boolean inObjects = growthInObjects() > 0;
        double[] counts = inObjects ? objects : bytes;
        Trend trend = Trend.of(counts);
        boolean isEachRun = trend.steps() == runs();
        if (isEven(counts)) {
            return amount(runs()) + " in each of " + runs() + " runs";
        }
        String often =
                isEachRun
                        ? String.format(Locale.ROOT, "%d of them", trend.highs())
                        : String.format(
                                Locale.ROOT, "%d of %d looks", trend.highs(), trend.steps());
        return String.format(Locale.ROOT, "%s in %d runs, more in %s", amount(1), runs(), often);
    }

    /** The growth, or its part for one of several runs. */
    private String amount(int parts) {
        double count = growthInObjects() / parts;
        String size = ByteText.exact(Math.round(growthInBytes() / parts));
        if (count <= 0) {
            return "+" + size;
        }
        return String.format(
                Locale.ROOT,
                count == 1 ? "+%,.0f object (%s)" : "+%,.0f objects (%s)",
                count,
                size);
    }

    /** Does each run add the same? */
    private boolean isEven(double[] counts) {
        double each = counts[1] - counts[0];
        for (int i = 1; i < counts.length; i++) {
            if (counts[i] - counts[i - 1] != each * (runs[i] - runs[i - 1])) {
                return false;
            }
        }
        return true;
    }
}

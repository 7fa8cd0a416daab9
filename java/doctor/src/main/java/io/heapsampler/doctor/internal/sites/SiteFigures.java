// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.Estimate;
import io.heapsampler.HeapFrame;
import io.heapsampler.doctor.SiteEvidence;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Sites as evidence, and classes that rules search for, by name: no class is loaded here. */
public final class SiteFigures {

    private static final int SITES = 3;

    /** Objects that own memory outside of the heap. A recording can filter for these. */
    static final Set<String> OWNERS =
            Set.of(
                    """
                    java.nio.DirectByteBuffer java.nio.DirectByteBuffer$Deallocator \
                    java.util.zip.Inflater java.util.zip.Inflater$InflaterZStreamRef \
                    java.util.zip.Deflater java.util.zip.Deflater$DeflaterZStreamRef \
                    java.util.zip.GZIPInputStream java.util.zip.GZIPOutputStream \
                    java.util.zip.InflaterInputStream java.util.zip.DeflaterOutputStream \
                    java.io.FileDescriptor jdk.internal.ref.Cleaner java.lang.Thread\
                    """
                            .split(" "));

    private static final Set<String> REFERENCES =
            Set.of(
                    "sun.misc.Cleaner",
                    "java.util.WeakHashMap$Entry",
                    "java.lang.ThreadLocal$ThreadLocalMap$Entry");

    private SiteFigures() {}

    /** The lines of the application, three at most, that have most of a figure, largest first. */
    public static List<SiteEvidence> most(
            Stream<SiteMetrics> sites,
            String metric,
            Function<SiteMetrics, Estimate> figure,
            String unit) {
        List<SiteEvidence> all =
                sites.map(it -> evidence(it, metric, figure.apply(it), unit)).toList();
        List<SiteEvidence> places = Places.addedUp(all);
        return places.subList(0, Math.min(SITES, places.size()));
    }

    public static SiteEvidence evidence(
            SiteMetrics site, String metric, Estimate estimate, String unit) {
        return new SiteEvidence(site.className(), site.stack(), metric, estimate, unit);
    }

    /** Owners of memory outside of the heap that are alive, or were not collected yet. */
    public static List<SiteEvidence> owners(SiteBook book) {
        return held(book, site -> isOwner(site.className()) && site.held().value() > 0);
    }

    /**
     * The lines that make class loaders or define classes, with all objects allocated for it: those
     * that hold some, or all lines if none does.
     */
    public static List<SiteEvidence> loaders(SiteBook book) {
        Predicate<SiteMetrics> isMeant = site -> isOfClasses(site.className(), site.stack());
        List<SiteEvidence> held = held(book, isMeant);
        Stream<SiteMetrics> all = book.sites().stream().filter(isMeant);
        return held.isEmpty()
                ? most(all, "share of allocation", SiteMetrics::churn, "share")
                : held;
    }

    /** Those of a closer look come first. */
    private static List<SiteEvidence> held(SiteBook book, Predicate<SiteMetrics> isMeant) {
        for (List<SiteMetrics> sites : List.of(book.closer(), book.sites())) {
            Stream<SiteMetrics> all = sites.stream().filter(isMeant);
            List<SiteEvidence> held = most(all, "not known to be dead", SiteMetrics::held, "bytes");
            if (!held.isEmpty()) {
                return held;
            }
        }
        return List.of();
    }

    static boolean isSearched(String className) {
        return isOwner(className) || isReference(className) || isLoader(className);
    }

    /**
     * Is it a class loader, or allocated where one is made or a class is defined? A loader is small
     * and seldom sampled; the other objects are much larger.
     */
    private static boolean isOfClasses(String className, List<HeapFrame> stack) {
        boolean isMeant = isLoader(className);
        for (HeapFrame frame : stack) {
            boolean isIn = frame.className().equals("java.lang.ClassLoader");
            String method = isIn ? frame.methodName() : "";
            isMeant |= method.equals("<init>") || method.startsWith("defineClass");
        }
        return isMeant;
    }

    static boolean isOwner(String className) {
        return OWNERS.contains(className)
                || className.startsWith("java.util.zip.")
                || className.contains("Cleaner")
                || className.endsWith("ByteBuf")
                || className.endsWith("ByteBufferR");
    }

    /** References of any kind, finalizers and cleaners; atomic ones refer as fields do. */
    public static boolean isReference(String className) {
        return REFERENCES.contains(className)
                || className.startsWith("java.lang.ref.")
                || className.startsWith("jdk.internal.ref.")
                || (className.endsWith("Reference")
                        && !className.startsWith("java.util.concurrent.atomic."))
                || className.endsWith("WeakEntry");
    }

    /** Misses anonymous loaders and those with other names. */
    static boolean isLoader(String className) {
        return className.endsWith("Loader");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertions.internal.JvmWork.Kind;
import io.heapsampler.internal.shared.ByteText;
import java.lang.reflect.Array;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the JVM itself allocates on a first run: objects that it makes when it loads, initialises
 * and links, recognised by their stacks.
 *
 * <p>An object is the JVM's if {@link JvmWork} made it and only code of the JDK lies in between: a
 * static initialiser, a bootstrap method, a class loader, or a {@code toString} of the author's
 * counts as the author's. So does an object that cannot be distinguished, such as one with a cut
 * stack, and an attempt to load a class that fails, which a second run would make again.
 */
final class JvmShare {

    /** Classes of objects that the JVM makes without a method of Java, besides {@code Class}. */
    private static final Set<String> MADE_BY_VM =
            Set.of(
                    "java.lang.String",
                    "byte[]",
                    "int[]",
                    "java.lang.Object[]",
                    "java.lang.Class[]",
                    "java.lang.invoke.ResolvedMethodName",
                    "java.lang.invoke.MemberName",
                    "java.lang.Integer");

    private final ClassCode.Cache codes;
    private final ClassLoads loads;
    private final Map<Kind, Double> bytes = new EnumMap<>(Kind.class);
    private double harness;
    private double ofOtherThreads;
    private long unseen;
    private boolean clearsBundles;

    private JvmShare(ClassLoader loader) {
        this.codes = ClassCode.Cache.of(loader);
        this.loads = new ClassLoads(codes);
    }

    /** Prepares to recognise the sites of any snapshot; no exception is known. */
    static JvmShare ofNothing() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return new JvmShare(context == null ? ClassLoader.getSystemClassLoader() : context);
    }

    /** Prepares to recognise the sites of a snapshot. */
    static JvmShare of(HeapSnapshot snapshot) {
        JvmShare share = ofNothing();
        for (HeapSite site : snapshot.sites()) {
            share.loads.note(site);
            share.clearsBundles |= site.stack().stream().anyMatch(JvmWork::clearsBundles);
        }
        return share;
    }

    /**
     * Sums up the shares of the JVM and of the harness in all allocations of a run.
     *
     * @param counted bytes of the run, in the calling thread, according to the JVM; 0 if unknown
     */
    static JvmShare sum(HeapSnapshot snapshot, long counted) {
        JvmShare share = of(snapshot);
        double seen = 0;
        boolean isCut = false;
        for (HeapSite site : snapshot.sites()) {
            double allocated = site.allocated().bytes().value();
            boolean isInRun = Frames.isInRun(site.stack());
            if (share.takes(site, allocated)) {
                share.ofOtherThreads += isInRun ? 0 : allocated;
            } else if (Frames.isOfHarness(site.stack())) {
                share.harness += allocated;
            }
            seen += isInRun ? allocated : 0;
            isCut |= Frames.isCut(site);
        }
        long unseen = isCut ? 0 : Math.max(0, counted - (long) seen);
        if (!Drops.mayMiss(snapshot) && ArrayMirrors.explain(unseen)) {
            share.bytes.merge(Kind.CLASSES, (double) unseen, Double::sum);
        } else {
            share.unseen = unseen;
        }
        return share;
    }

    /**
     * Returns whether a site is the JVM's, and if so adds to its sum.
     *
     * @param amount bytes of the site
     */
    boolean takes(HeapSite site, double amount) {
        Kind kind = amount == 0 ? null : kind(site);
        if (kind == null) {
            return false;
        }
        bytes.merge(kind, amount, Double::sum);
        return true;
    }

    /** Bytes that calling the code has allocated in the run. */
    long harness() {
        return (long) harness;
    }

    /**
     * Counted bytes that no sample shows: of a sample that was not counted, or of an object of the
     * harness that the JVM makes when it gives up compiled code. 0 where stacks are cut.
     */
    long unseen() {
        return unseen;
    }

    /** The taken bytes of threads that were not seen to run measured code. */
    double ofOtherThreads() {
        return ofOtherThreads;
    }

    /** The sum of the taken bytes. */
    long bytes() {
        double sum = 0;
        for (double part : bytes.values()) {
            sum += part;
        }
        return (long) sum;
    }

    /**
     * Returns such as {@code ; the JVM's 48,120 bytes for loading classes set aside}, or nothing.
     */
    String describe() {
        if (bytes.isEmpty()) {
            return "";
        }
        StringJoiner kinds = new StringJoiner(", ");
        bytes.entrySet().stream()
                .sorted(Map.Entry.<Kind, Double>comparingByValue().reversed())
                .forEach(part -> kinds.add(part.getKey().words));
        return String.format(
                Locale.ROOT, "; the JVM's %s for %s set aside", ByteText.exact(bytes()), kinds);
    }

    /** Returns the work of the JVM there; null if the object is not its own. */
    @Nullable Kind kind(HeapSite site) {
        List<HeapFrame> stack =
                Frames.isCalled(site) ? Frames.ofRun(site.stack()) : Frames.ofOtherThread(site);
        if (stack == null || stack.isEmpty()) {
            return null;
        }
        Kind made = madeByVm(site.className(), site.stack());
        if (made != null) {
            return made;
        }
        return loads.isBeneathOne(site.stack()) ? Kind.CLASSES : madeByJdk(stack, site.stack());
    }

    /** Did the JVM make the objects of a site itself, without a method of Java? */
    boolean isMadeByVm(HeapSite site) {
        return !site.stack().isEmpty() && madeByVm(site.className(), site.stack()) != null;
    }

    private @Nullable Kind madeByJdk(List<HeapFrame> run, List<HeapFrame> stack) {
        boolean opensJar = false;
        boolean isEnum = false;
        for (int i = 0; i < run.size(); i++) {
            HeapFrame frame = run.get(i);
            if (!JvmWork.isOfJdk(frame)) {
                if (frame.className().startsWith("org.jacoco.agent.rt.")) {
                    continue;
                }
                if (isValues(frame)) {
                    isEnum = true;
                    continue;
                }
                return isMadeByTools(frame) ? Kind.CLASSES : null;
            }
            if (isEnum) {
                return JvmWork.isAboutEnum(frame) || isReflection(frame) ? enumKind(run, i) : null;
            }
            opensJar |= JvmWork.is(frame, "jdk.internal.loader.URLClassPath", "getLoader");
            if (opensJar && frame.className().equals(JvmWork.LOADER)) {
                return Kind.CLASSES;
            }
            if (JvmWork.mayFail(frame) && loads.isFailed(stack, i)) {
                return null;
            }
            Kind kind = JvmWork.kind(frame);
            if (kind != null && loads.hasNewLoader() && JvmWork.isOfLoader(frame, kind)) {
                return null; // a run that makes a loader has its classes made anew
            }
            if (kind != null && !(JvmWork.isOfBundle(frame) && isForAuthor(run, i))) {
                return kind;
            }
        }
        return null;
    }

    /**
     * Is this a bundle of the author's that each run may fill or find anew: one that code fills, or
     * one that is found by a control, for a new loader, or after the cache was cleared?
     */
    private boolean isForAuthor(List<HeapFrame> run, int from) {
        boolean isFilled = run.get(from).className().equals(JvmWork.LIST_BUNDLE);
        boolean isAnew = isFilled || clearsBundles || loads.hasNewLoader();
        for (HeapFrame frame : run.subList(from, run.size())) {
            if (!JvmWork.isOfBundle(frame)) {
                return isAnew && !JvmWork.isOfJdk(frame);
            }
            isAnew |= JvmWork.takesControl(frame);
        }
        return isAnew;
    }

    /** An enum's values are called by reflection there. */
    private static @Nullable Kind enumKind(List<HeapFrame> run, int from) {
        for (HeapFrame frame : run.subList(from, run.size())) {
            if (JvmWork.isAboutEnum(frame)) {
                return Kind.REFLECTION;
            }
            if (!isReflection(frame)) {
                return null;
            }
        }
        return null;
    }

    private static boolean isReflection(HeapFrame frame) {
        return frame.className().startsWith("java.lang.reflect.")
                || frame.className().startsWith("jdk.internal.reflect.")
                || frame.className().startsWith("java.lang.invoke.");
    }

    private static boolean isValues(HeapFrame frame) {
        return frame.methodName().equals("values")
                && frame.descriptor().equals("()[L" + frame.className().replace('.', '/') + ";");
    }

    /** Is it done once for a class, by what a compiler or JaCoCo has added to it? */
    private boolean isMadeByTools(HeapFrame frame) {
        ClassCode code = codes.code(frame.className());
        return code != null
                && switch (frame.methodName()) {
                    case "$jacocoInit" ->
                            frame.descriptor().endsWith(")[Z")
                                    && !code.hasInSource(frame.methodName(), frame.descriptor());
                    case "<clinit>" -> code.isSwitchMap;
                    default -> false;
                };
    }

    /**
     * Returns the work of the JVM if it made an object itself, without a method of Java: no
     * instruction at that line can have made it.
     */
    private @Nullable Kind madeByVm(String className, List<HeapFrame> stack) {
        HeapFrame leaf = stack.get(0);
        if (className.equals("java.lang.Class")) {
            return leaf.methodName().startsWith("define") ? null : Kind.CLASSES;
        }
        if (!MADE_BY_VM.contains(className) || leaf.isNative() || loads.isThrowing(stack)) {
            return null;
        }
        ClassCode.Line code = codes.line(leaf);
        if (code == null || code.canAllocate(className)) {
            return null;
        }
        return switch (className) {
            case "java.lang.String", "byte[]" ->
                    code.hasStrings ? Kind.CONSTANTS : Kind.CLASSES; // of a class: its name
            case "int[]" -> Kind.CLASSES; // a lock, while a class is initialised
            case "java.lang.Object[]" -> Kind.CONSTANTS; // those that are resolved
            default -> code.isLinked ? Kind.LINKAGE : null;
        };
    }

    /**
     * The {@code Class} objects of new array classes. Up to JDK 23 the JVM makes them under a lock
     * beneath which it reports no samples, so that they are in its count alone.
     */
    static final class ArrayMirrors {

        /** In which release samples of them are reported at the latest. */
        private static final int REPORTED = 25;

        private static final int EMPTY_ARRAY = 16;

        /** More than any code makes in one run. */
        private static final int MOST = 256;

        private static final long SIZE = size();

        private ArrayMirrors() {}

        /** Has an array class that has not been used before. */
        private static final class Unused {}

        private static long size() {
            LongSupplier counter = Counters.ofThread();
            if (counter == null || Runtime.version().feature() >= REPORTED) {
                return 0;
            }
            Class<?> type = Unused.class; // loaded before
            Array.newInstance(Object.class, 0);
            long before = counter.getAsLong();
            Array.newInstance(type, 0);
            return counter.getAsLong() - before - EMPTY_ARRAY;
        }

        /** Can bytes that no sample explains be such objects, and nothing else? */
        static boolean explain(long bytes) {
            return SIZE > EMPTY_ARRAY && bytes > 0 && bytes % SIZE == 0 && bytes / SIZE <= MOST;
        }
    }
}

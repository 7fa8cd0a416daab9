// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.StackFrame;
import io.heapsampler.assertions.internal.JvmWork.Kind;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What the JVM itself allocates on a first run: objects that it makes when it loads, initialises
 * and links, recognised by their stacks.
 *
 * <p>An object is the JVM's if {@link JvmWork} made it and only code of the JDK lies in between: a
 * static initialiser, a bootstrap method, a class loader, or a {@code toString} of the author's
 * counts as the author's. So does whatever cannot be told, such as a stack that is cut, and an
 * attempt to load a class that fails, which a second run would make again.
 */
final class JvmShare {

    private static final String LOADER = "jdk.internal.loader.BuiltinClassLoader";

    private final Map<String, @Nullable ClassCode> codes = new HashMap<>();
    private final ClassLoader loader;

    /** Callers for which the loader missed a class, or no proxy could be made. */
    private final Set<List<StackFrame>> failed = new HashSet<>();

    /** Stacks at which an exception was made. */
    private final Set<List<StackFrame>> throwing = new HashSet<>();

    private final Map<Kind, Double> bytes = new EnumMap<>(Kind.class);
    private double harness;

    private JvmShare(ClassLoader loader) {
        this.loader = loader;
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
            String name = site.className();
            if (name.endsWith("Exception") || name.endsWith("Error")) {
                share.throwing.add(site.stack());
                share.noteFailure(site.stack());
            }
        }
        return share;
    }

    private void noteFailure(List<StackFrame> stack) {
        for (int i = 0; i < stack.size(); i++) {
            if (isLoading(stack.get(i)) || JvmWork.isOfProxies(stack.get(i))) {
                failed.add(callers(stack, i));
            }
        }
    }

    /**
     * Sums up what is the JVM's of all that was allocated in a run, and what is the harness's.
     *
     * @param counted bytes of the run according to the JVM
     */
    static JvmShare sum(HeapSnapshot snapshot, long counted) {
        JvmShare share = of(snapshot);
        double seen = 0;
        boolean isCut = false;
        for (HeapSite site : snapshot.sites()) {
            double allocated = site.allocated().bytes().value();
            boolean isTaken = share.takes(site, allocated);
            share.harness += !isTaken && Frames.isOfHarness(site.stack()) ? allocated : 0;
            seen += Frames.isInRun(site.stack()) ? allocated : 0;
            isCut |= Frames.isCut(site);
        }
        long unseen = counted - (long) seen;
        if (!isCut && !Drops.mayMiss(snapshot) && ArrayMirrors.explain(unseen)) {
            share.bytes.merge(Kind.CLASSES, (double) unseen, Double::sum);
        }
        return share;
    }

    /**
     * Says whether a site is the JVM's, and if so adds to its sum.
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

    /** What calls the code has allocated in the run. */
    long harness() {
        return (long) harness;
    }

    /** The sum of what was taken. */
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
                Locale.ROOT, "; the JVM's %s for %s set aside", Bytes.exact(bytes()), kinds);
    }

    /** Returns what the JVM did there; null if the object is not its own. */
    @Nullable Kind kind(HeapSite site) {
        List<StackFrame> stack = Frames.ofRun(site.stack());
        if (stack == null || stack.isEmpty()) {
            return null;
        }
        Kind made = madeByVm(site.className(), site.stack());
        return made != null ? made : madeByJdk(stack, site.stack());
    }

    /** Did the JVM make the objects of a site itself, without a method of Java? */
    boolean isMadeByVm(HeapSite site) {
        return !site.stack().isEmpty() && madeByVm(site.className(), site.stack()) != null;
    }

    private @Nullable Kind madeByJdk(List<StackFrame> run, List<StackFrame> stack) {
        boolean opensJar = false;
        boolean isEnum = false;
        for (int i = 0; i < run.size(); i++) {
            StackFrame frame = run.get(i);
            if (!JvmWork.isOfJdk(frame)) {
                if (isOfCoverage(frame)) {
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
            opensJar |= isOpening(frame);
            boolean isLoader = frame.className().equals(LOADER);
            if (isLoader && (opensJar || (isLoading(frame) && loads(stack, i)))) {
                return Kind.CLASSES;
            }
            if (JvmWork.isOfProxies(frame) && failed.contains(callers(stack, i))) {
                return null;
            }
            Kind kind = JvmWork.kind(frame);
            if (kind != null && !(JvmWork.isOfBundle(frame) && isForAuthor(run, i))) {
                return kind;
            }
        }
        return null;
    }

    /**
     * Are these the contents of a bundle that the author's code asks for, or is it found by a
     * control of the author's, which may do that on each run?
     */
    private static boolean isForAuthor(List<StackFrame> run, int from) {
        boolean isAuthors = run.get(from).className().equals("java.util.ListResourceBundle");
        for (StackFrame frame : run.subList(0, from)) {
            isAuthors |= frame.className().equals("java.util.PropertyResourceBundle");
        }
        for (StackFrame frame : run.subList(from, run.size())) {
            if (!JvmWork.isOfBundle(frame)) {
                return isAuthors && !JvmWork.isOfJdk(frame);
            }
            isAuthors |= JvmWork.takesControl(frame);
        }
        return isAuthors;
    }

    /** An enum's values are called by reflection there. */
    private static @Nullable Kind enumKind(List<StackFrame> run, int from) {
        for (StackFrame frame : run.subList(from, run.size())) {
            if (JvmWork.isAboutEnum(frame)) {
                return Kind.REFLECTION;
            }
            if (!isReflection(frame)) {
                return null;
            }
        }
        return null;
    }

    private static boolean isReflection(StackFrame frame) {
        return frame.className().startsWith("java.lang.reflect.")
                || frame.className().startsWith("jdk.internal.reflect.")
                || frame.className().startsWith("java.lang.invoke.");
    }

    private static boolean isValues(StackFrame frame) {
        return frame.methodName().equals("values")
                && frame.descriptor().equals("()[L" + frame.className().replace('.', '/') + ";");
    }

    private static boolean isOfCoverage(StackFrame frame) {
        return frame.className().startsWith("org.jacoco.agent.rt.");
    }

    /** Is it done once for a class, by what a compiler or JaCoCo has added to it? */
    private boolean isMadeByTools(StackFrame frame) {
        ClassCode code = code(frame.className());
        return code != null
                && switch (frame.methodName()) {
                    case "$jacocoInit" ->
                            frame.descriptor().endsWith(")[Z")
                                    && !code.hasInSource(frame.methodName(), frame.descriptor());
                    case "<clinit>" -> code.isSwitchMap();
                    default -> false;
                };
    }

    private static boolean isOpening(StackFrame frame) {
        return frame.className().equals("jdk.internal.loader.URLClassPath")
                && frame.methodName().equals("getLoader");
    }

    private static boolean isLoading(StackFrame frame) {
        return frame.className().equals(LOADER) && frame.methodName().equals("loadClass");
    }

    private static List<StackFrame> callers(List<StackFrame> stack, int loading) {
        return stack.subList(loading + 1, stack.size());
    }

    /** Is a class loaded that is there, for the JVM rather than for code that calls the loader? */
    private boolean loads(List<StackFrame> stack, int loading) {
        if (failed.contains(callers(stack, loading))) {
            return false;
        }
        for (StackFrame frame : callers(stack, loading)) {
            if (!isOfLoader(frame)) {
                LineCode code = line(frame);
                return frame.isNative() || (code != null && !code.canCall("loadClass"));
            }
        }
        return false;
    }

    private static boolean isOfLoader(StackFrame frame) {
        return frame.className().startsWith("jdk.internal.loader.")
                || frame.className().equals("java.lang.ClassLoader");
    }

    /**
     * Returns what the JVM did if it made an object of itself, without a method of Java: the
     * instructions at that line cannot have.
     */
    private @Nullable Kind madeByVm(String className, List<StackFrame> stack) {
        StackFrame leaf = stack.get(0);
        if (className.equals("java.lang.Class")) {
            return leaf.methodName().startsWith("define") ? null : Kind.CLASSES;
        }
        boolean isCandidate =
                switch (className) {
                    case "java.lang.String", "byte[]", "int[]", "java.lang.Object[]" -> true;
                    case "java.lang.Class[]" -> true;
                    case "java.lang.invoke.ResolvedMethodName",
                            "java.lang.invoke.MemberName",
                            "java.lang.Integer" ->
                            true;
                    default -> false;
                };
        if (!isCandidate || leaf.isNative() || throwing.contains(stack)) {
            return null;
        }
        LineCode code = line(leaf);
        if (code == null || code.canAllocate(className)) {
            return null;
        }
        return switch (className) {
            case "java.lang.String", "byte[]" ->
                    code.hasStrings() ? Kind.CONSTANTS : Kind.CLASSES; // of a class: its name
            case "int[]" -> Kind.CLASSES; // a lock, while a class is initialised
            case "java.lang.Object[]" -> Kind.CONSTANTS; // those that are resolved
            default -> code.isLinked() ? Kind.LINKAGE : null;
        };
    }

    private @Nullable LineCode line(StackFrame frame) {
        ClassCode code = code(frame.className());
        return code == null
                ? null
                : code.line(frame.methodName(), frame.descriptor(), frame.lineNumber());
    }

    private @Nullable ClassCode code(String className) {
        if (!codes.containsKey(className)) {
            codes.put(className, ClassCode.of(className, loader));
        }
        return codes.get(className);
    }
}

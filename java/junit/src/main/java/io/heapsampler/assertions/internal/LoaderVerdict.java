// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapSnapshot;
import io.heapsampler.Unresolved;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.LoaderLooks.Seen;
import io.heapsampler.internal.shared.ClassLoaders;
import io.heapsampler.internal.shared.HoldersText;
import io.heapsampler.internal.shared.LoadersText;
import io.heapsampler.internal.shared.LoadersText.Holding;
import io.heapsampler.internal.shared.PrintableText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes the verdict of a trial for class loaders. Used once. */
final class LoaderVerdict {

    private static final String HINT =
            "find what holds the first loader: a static field, a thread-local or the context class"
                    + " loader of a thread that lives on, a shutdown hook, a JDBC driver, a timer."
                    + " What is meant to stay: @AllowedLeak with the class of the loader.";

    private static final String OPEN_HELP =
            "Make a run faster, so that there is time for more of them, or raise warmup. Allow"
                    + " loaders that are meant to stay with @AllowedLeak.";

    /** Loaders of one class whose paths are searched. */
    private static final int MOST_PATHS = 10;

    private static final int MOST_CLASSES = 3;

    private static final String[] HARNESS = {
        "org.junit.", "io.heapsampler.junit.", "io.heapsampler.assertions."
    };

    /** Words in the name of a class; Software is another word. */
    private static final Pattern WEAK = Pattern.compile("(Weak|Soft)(ly)?(?![a-z])");

    private final LoaderRule rule;
    private final Settings settings;
    private final LoaderLooks looks;
    private final LoaderJudge judge;
    private final Evidence evidence;
    private final @Nullable HeapSnapshot last;

    /** By class of loaders, how it goes on, in words. */
    private final Map<String, String> left = new LinkedHashMap<>();

    private int allowed;

    /** The loaders whose paths were searched, and the answer; null if they were not. */
    private final List<Seen> shown = new ArrayList<>();

    private @Nullable LoadersText paths;

    LoaderVerdict(
            LoaderRule rule,
            Settings settings,
            LoaderLooks looks,
            LoaderJudge judge,
            Evidence evidence,
            @Nullable HeapSnapshot last) {
        this.rule = rule;
        this.settings = settings;
        this.looks = looks;
        this.judge = judge;
        this.evidence = evidence;
        this.last = last;
    }

    /**
     * Returns the verdict.
     *
     * @param subject what messages call the code
     * @param runs how often it was run
     * @throws NotMeasuredException if loaders may stay
     */
    Verdict of(String subject, int runs) throws NotMeasuredException {
        for (String each : judge.growing()) {
            if (!isAllowed(each)) {
                left.put(each, curve(each));
            }
        }
        boolean isSure = !left.isEmpty();
        List<String> replaced = judge.replaced().stream().filter(each -> !isAllowed(each)).toList();
        replaced.forEach(each -> left.put(each, "each run leaves one, until the next run"));
        if (!left.isEmpty() && (!replaced.isEmpty() || areHoldersShown())) {
            search();
        }
        for (String each : replaced) {
            if (isExcused(each, isSure)) {
                left.remove(each);
            }
        }
        if (!left.isEmpty()) {
            return failed(subject);
        }
        requireKnown();
        String summary = "no class loader stays in " + runs + " runs";
        Verdict verdict = Verdict.passed(rule, summary, last);
        return allowed == 0
                ? verdict
                : verdict.withNote(allowed + (allowed == 1 ? " loader" : " loaders") + " allowed");
    }

    private void requireKnown() throws NotMeasuredException {
        List<String> open =
                judge.open().stream()
                        .filter(each -> !rule.allowed().covers(each, stack(each)))
                        .toList();
        if (!open.isEmpty()) {
            throw new NotMeasuredException(
                    "The number of class loaders grew, and it is open whether that goes on: "
                            + String.join(", ", open)
                            + ". "
                            + OPEN_HELP,
                    last);
        }
    }

    /** A permission for a frame does not cover loaders of the class that others allocate. */
    private boolean isAllowed(String className) {
        if (!rule.allowed().covers(className, stack(className))) {
            return false;
        }
        stacks(className).forEach(stack -> rule.allowed().allows(className, stack));
        allowed += looks.since(LeakJudge.BASE, className).size();
        return true;
    }

    /** Returns such as {@code +1 in each of 10 runs}. */
    private String curve(String className) {
        double[] counts = looks.staying(className);
        int end = counts.length - 1;
        int runs = looks.run(end) - looks.run(LeakJudge.PROOF);
        double growth = counts[end] - counts[LeakJudge.PROOF];
        return growth > 0 && growth % runs == 0
                ? String.format(Locale.ROOT, "+%,.0f in each of %d runs", growth / runs, runs)
                : String.format(Locale.ROOT, "+%,.0f in %d runs", growth, runs);
    }

    // ---- What holds them ----

    private void search() {
        for (String each : left.keySet()) {
            List<Seen> stay = looks.since(LeakJudge.BASE, each);
            shown.addAll(stay.subList(Math.max(0, stay.size() - MOST_PATHS), stay.size()));
        }
        try {
            paths = evidence.pathsTo(shown.stream().map(Seen::reference).toList());
        } catch (RuntimeException e) { // the message comes first
            paths = null;
        }
    }

    /**
     * Is a loader that the next run replaces no leak? Not if the test's own instance or code that
     * is running holds it, or something that goes by itself.
     *
     * @param isSure does the test fail anyway, so that an unknown path may stay out?
     * @throws NotMeasuredException if the path is unknown and decides
     */
    private boolean isExcused(String className, boolean isSure) throws NotMeasuredException {
        for (int i = 0; i < shown.size(); i++) {
            if (shown.get(i).className().equals(className)) {
                Unresolved missing = missing(i);
                if (missing == null && !isExcused(holding(i))) {
                    return false;
                }
                requireKnown(className, isSure ? null : missing);
            }
        }
        return true;
    }

    private Holding holding(int i) {
        return Objects.requireNonNull(paths).holdings().get(i);
    }

    /** Why the path is unknown; null if it is known, or known to be weak. */
    private @Nullable Unresolved missing(int i) {
        Unresolved missing = paths == null ? Unresolved.NOT_POSSIBLE : holding(i).missing();
        boolean isWeak = missing == Unresolved.ONLY_WEAK || missing == Unresolved.DIED;
        return isWeak ? null : missing;
    }

    private void requireKnown(String className, @Nullable Unresolved missing)
            throws NotMeasuredException {
        if (missing == null) {
            return;
        }
        throw new NotMeasuredException(
                "Each run leaves a class loader, "
                        + className
                        + ", until the next run, and it could not be found out what holds it ("
                        + missing
                        + "). Set -Dheapsampler.holders.millis=10000, or run the test again.",
                last);
    }

    /** Not a thread-local: its value stays for as long as the thread. */
    static boolean isExcused(Holding holding) {
        if (holding.root() == null || holding.isSoft()) {
            return true;
        }
        return switch (holding.root()) {
            case LOCAL, JNI_LOCAL, MONITOR, FINALIZER_QUEUE -> true;
            default ->
                    holding.classes().stream().anyMatch(each -> isOfHarness(each) || isWeak(each));
        };
    }

    private static boolean isOfHarness(String className) {
        for (String each : HARNESS) {
            if (className.startsWith(each)) {
                return true;
            }
        }
        return false;
    }

    /** Does this look like the entry of a weak map, which the next use of the map purges? */
    private static boolean isWeak(String className) {
        String simple = className.substring(className.lastIndexOf('.') + 1);
        return WEAK.matcher(simple).find();
    }

    // ---- The message ----

    private Verdict failed(String subject) {
        int count = left.keySet().stream().mapToInt(each -> looks.since(0, each).size()).sum();
        String headline =
                "%s leaves class loaders behind: %s %s alive that its runs made."
                        .formatted(
                                subject,
                                count == 1 ? "1" : String.format(Locale.ROOT, "%,d", count),
                                count == 1 ? "is" : "are");
        FailureText text = new FailureText(headline, settings);
        int number = 0;
        for (Map.Entry<String, String> each : left.entrySet()) {
            if (number == settings.sites()) {
                text.line("  ... and loaders of " + (left.size() - number) + " more classes");
                break;
            }
            number++;
            describe(number, each.getKey(), each.getValue(), text);
        }
        text.hint(HINT).holders(holders());
        String actual = left.size() + (left.size() == 1 ? " class" : " classes") + " of loaders";
        return text.verdict(rule, headline, "no class loader that stays", actual, last);
    }

    private void describe(int number, String className, String curve, FailureText text) {
        List<Seen> stay = looks.since(LeakJudge.BASE, className);
        Seen newest = stay.get(stay.size() - 1);
        text.line("  " + number + ". " + label(newest) + ": " + curve);
        text.line("     " + classes(newest));
        List<StackTraceElement> stack = stack(className);
        if (stack.isEmpty()) {
            text.line("     no sample shows where it was allocated");
        } else {
            text.frames(stack);
        }
    }

    private static String label(Seen seen) {
        String name = null;
        try {
            ClassLoader loader = seen.reference().get();
            name = loader == null ? null : loader.getName();
        } catch (RuntimeException e) { // of a loader that overrides it
            name = null;
        }
        return seen.className() + (name == null ? "" : " \"" + PrintableText.of(name) + '"');
    }

    private static String classes(Seen seen) {
        List<String> names;
        try {
            ClassLoader loader = seen.reference().get();
            names = loader == null ? List.of() : ClassLoaders.definedBy(loader);
        } catch (RuntimeException e) { // the message comes first
            return "its classes are not known";
        }
        if (names.isEmpty()) {
            return "defined no class";
        }
        String some =
                String.join(
                        ", ", names.stream().limit(MOST_CLASSES).map(PrintableText::of).toList());
        String more = names.size() > MOST_CLASSES ? ", ..." : "";
        return "defined "
                + names.size()
                + (names.size() == 1 ? " class: " : " classes: ")
                + some
                + more;
    }

    /**
     * Returns the stack that allocated most of the loaders of a class that are not allowed, or most
     * of all; empty without a sample.
     */
    private List<StackTraceElement> stack(String className) {
        List<List<StackTraceElement>> stacks = stacks(className);
        return stacks.stream()
                .filter(stack -> !rule.allowed().covers(className, stack))
                .findFirst()
                .orElse(stacks.get(0));
    }

    /** The stacks of live loaders of a class, most first; one that is empty without a sample. */
    private List<List<StackTraceElement>> stacks(String className) {
        if (last == null) {
            return List.of(List.of());
        }
        Scope scope =
                new Scope(ThreadScope.ALL, List.of(className), List.of(), List.of(), List.of());
        List<List<StackTraceElement>> stacks =
                SiteFigures.of(last, scope).stream()
                        .filter(site -> site.live().samples() > 0)
                        .sorted(SiteFigures.BY_LIVE)
                        .map(SiteFigures::stack)
                        .toList();
        return stacks.isEmpty() ? List.of(List.of()) : stacks;
    }

    private boolean areHoldersShown() {
        return settings.holders() && HoldersText.isOn();
    }

    private String holders() {
        if (!areHoldersShown()) {
            return "";
        }
        if (paths == null) {
            return LoadersText.NOT_SEARCHED;
        }
        List<String> labels =
                shown.stream()
                        .map(each -> left.containsKey(each.className()) ? label(each) : "")
                        .toList();
        return paths.draw(labels, settings.sites());
    }
}

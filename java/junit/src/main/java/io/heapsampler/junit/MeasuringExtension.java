// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Settings;
import io.heapsampler.assertions.internal.Subject;
import io.heapsampler.assertions.internal.Trials;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import io.heapsampler.internal.shared.KeptTables;
import io.heapsampler.junit.AllocationTestExtension.TemplateRuns;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.MultipleFailuresError;

/**
 * What measures the invocations of tests; subclasses say with which rules, and have wrong ones
 * refused before anything of a test runs. Of several at one test, the outermost has the rules of
 * all checked together, so that none counts what another allocates.
 */
abstract class MeasuringExtension
        implements InvocationInterceptor, BeforeEachCallback, AfterEachCallback {

    private static final Namespace NAMESPACE = Namespace.create(MeasuringExtension.class);

    /**
     * The invocation that this thread measures; the inner extensions look at it and stand back.
     * Weak, for it leads to the test's instance, of which this is no holder.
     */
    private static final ThreadLocal<@Nullable WeakReference<ExtensionContext>> UNDER_WAY =
            new ThreadLocal<>();

    /** That the rules of a test have observed it to its end. */
    private static final String JUDGED = "judged";

    /** Those of one test. */
    private static final class All extends CopyOnWriteArrayList<MeasuringExtension> {

        private static final long serialVersionUID = 1L;
    }

    /** Part of an interception. */
    private interface Step {
        void with(Interception interception) throws Throwable;
    }

    /** Reads the rules of a test. */
    abstract List<Rule> rules(TestCase test, ExtensionContext context);

    /** Refuses what else is wrong with a test, before anything of it runs. */
    abstract void requireValid(ExtensionContext context);

    @Override
    public final void beforeEach(ExtensionContext context) {
        ChainGuard.begin(context);
        context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(All.class, key -> new All(), All.class)
                .add(this);
        requireValid(context);
        Injection.requireRecording(context);
        TestCase test = TestCase.of(context);
        List<Rule> rules = rules(test, context);
        SetUp.requireRepeatable(test, rules, context);
        if (!TestCase.isFactory(test.method())) { // each test of a factory has its own entry
            Limits.requireEntries(rules);
        }
    }

    @Override
    public final void afterEach(ExtensionContext context) {
        ChainGuard.end(context);
        requireJudged(context);
    }

    /** Fails a test that has passed without a verdict: another extension hid what it threw. */
    private void requireJudged(ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        All all = store.get(All.class, All.class);
        boolean isFirst = all != null && all.get(0) == this;
        TestCase test = TestCase.of(context);
        if (!isFirst
                || context.getExecutionException().isPresent()
                || TestCase.isFactory(test.method())
                || store.get(JUDGED) != null) {
            return;
        }
        if (all.stream().anyMatch(each -> !each.rules(test, context).isEmpty())) {
            throw new AssertionFailedError(
                    """
                    %s was not judged: its method did not run to its end, and another extension \
                    hid that. Let the extension not skip the test, nor swallow what it throws; \
                    expect an exception with assertThrows.\
                    """
                            .formatted(test.name()));
        }
    }

    @Override
    public final void interceptTestMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        intercept(invocation, context, measured -> measured.method(invocation, call));
    }

    @Override
    public final void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        Step step =
                AllocationTestExtension.isOn(call.getExecutable())
                        ? measured -> measured.run(invocation, call)
                        : measured -> measured.method(invocation, call);
        intercept(invocation, context, step);
    }

    @Override
    public final void interceptDynamicTest(
            Invocation<Void> invocation,
            DynamicTestInvocationContext call,
            ExtensionContext context)
            throws Throwable {
        intercept(invocation, context, measured -> measured.dynamicTest(invocation, call));
    }

    private static void intercept(Invocation<Void> invocation, ExtensionContext context, Step step)
            throws Throwable {
        WeakReference<ExtensionContext> measured = UNDER_WAY.get();
        if (measured != null && measured.refersTo(context)) {
            invocation.proceed();
        } else {
            ChainGuard.within(context, () -> measure(context, step));
        }
    }

    /** The work around the body of a test counts for no assertion around the test. */
    private static void measure(ExtensionContext context, Step step) throws Throwable {
        WeakReference<ExtensionContext> before = UNDER_WAY.get();
        UNDER_WAY.set(new WeakReference<>(context));
        try {
            Trials.aside(
                    () -> {
                        PlanTables.keep(context);
                        TestCase test = TestCase.of(context);
                        step.with(interception(test, context));
                        context.getStore(NAMESPACE).put(JUDGED, true);
                        return test;
                    });
        } finally {
            if (before == null) {
                UNDER_WAY.remove();
            } else {
                UNDER_WAY.set(before);
            }
        }
    }

    private static Interception interception(TestCase test, ExtensionContext context) {
        All all = context.getStore(NAMESPACE).get(All.class, All.class);
        List<Rule> rules =
                all.stream().flatMap(each -> each.rules(test, context).stream()).toList();
        Limits.requireEntries(rules);
        return new Interception(rules, test, context);
    }

    /**
     * Has the rules of a test checked in place of one invocation of it.
     *
     * @param rules what it must keep to
     * @param test the test
     * @param context that of the invocation
     */
    record Interception(List<Rule> rules, TestCase test, ExtensionContext context) {

        /** A test that JUnit calls once. */
        void method(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call)
                throws Throwable {
            Injection.requireThisThread(test, call.getArguments(), context);
            if (!rules.isEmpty() || Calls.probe(call.getArguments().toArray()) != null) {
                Calls.prepare(call, rules.stream().anyMatch(rule -> rule.repeats().isAsked()));
            }
            check(Calls.of(test, invocation, call));
        }

        /** One run of an {@link AllocationTest}; the last one reports, and fails. */
        void run(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call)
                throws Throwable {
            if (rules.isEmpty()) {
                throw Placement.refused(
                        test.method(),
                        """
                        @AllocationTest has nothing to judge. Add @NoAllocation, @MaxAllocation, \
                        @MaxRetained, @NoLeaks or @AllocationBaseline, or write @Test.\
                        """,
                        null);
            }
            Injection.requireThisThread(test, call.getArguments(), context);
            Extensions.refuseInnerInterceptors(test, rules, context);
            TemplateRuns runs = TemplateRuns.of(context);
            Trials trials = runs.trials(() -> begin(call));
            trials.run(Calls.of(test, invocation, call));
            runs.complete();
            if (!trials.needMore()) {
                report(trials.verdicts());
            }
        }

        private Trials begin(ReflectiveInvocationContext<Method> call) {
            Calls.prepare(call, true);
            return Trials.of(test.name(), rules, Configuration.of(context).settings);
        }

        void dynamicTest(Invocation<Void> invocation, DynamicTestInvocationContext call)
                throws Throwable {
            check(Calls.ofDynamicTest(test, invocation, call));
        }

        private void check(Subject subject) throws Throwable {
            if (rules.isEmpty()) {
                subject.run();
                return;
            }
            Extensions.refuseInnerInterceptors(test, rules, context);
            Settings settings = Configuration.of(context).settings;
            report(Trials.check(rules, subject, settings, () -> SetUp.isStateless(test, context)));
        }

        private void report(List<Verdict> verdicts) throws Throwable {
            for (Verdict verdict : verdicts) {
                context.publishReportEntry(Map.of("heapsampler " + verdict.rule(), text(verdict)));
            }
            Verdicts.of(context).add(test.name(), verdicts);
            ArtifactFiles.publish(verdicts, context);
            throwErrors(verdicts);
        }

        private static String text(Verdict verdict) {
            String text = verdict.outcome() + ": " + verdict.summary();
            return verdict.note() == null ? text : text + "; " + verdict.note();
        }

        private static void throwErrors(List<Verdict> verdicts) throws Throwable {
            List<Throwable> failures = new ArrayList<>();
            List<Throwable> abortions = new ArrayList<>();
            for (Verdict verdict : verdicts) {
                if (verdict.error() != null) {
                    boolean hasFailed = verdict.outcome() == Outcome.FAILED;
                    (hasFailed ? failures : abortions).add(verdict.error());
                }
            }
            if (failures.size() > 1) {
                throw new MultipleFailuresError("Allocations", failures);
            }
            List<Throwable> thrown = failures.isEmpty() ? abortions : failures;
            if (!thrown.isEmpty()) {
                throw thrown.get(0);
            }
        }
    }

    /**
     * Keeps the sampler's tables from the first measured test of a run to the end of the run, since
     * each of them opens a recording. Where the library is missing, there is nothing to keep.
     */
    @SuppressWarnings("deprecation") // 5.12 closes nothing else; later ones also close this.
    private record PlanTables(@Nullable KeptTables tables)
            implements Store.CloseableResource, AutoCloseable {

        private static PlanTables open() {
            try {
                return new PlanTables(KeptTables.open());
            } catch (HeapSamplingUnavailableException e) {
                return new PlanTables(null); // each assertion says so itself
            }
        }

        /** Begins to keep them, unless another test of the run has. */
        static void keep(ExtensionContext context) {
            Configuration.ofRun(context, PlanTables.class, PlanTables::open);
        }

        @Override
        public void close() {
            if (tables != null) {
                tables.close();
            }
        }
    }
}

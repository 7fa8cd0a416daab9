// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Judge;
import io.heapsampler.assertions.internal.Rule;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.AssertionFailedError;

/**
 * What measures the invocations of tests; subclasses say with which rules, and have wrong ones
 * refused before anything of a test runs. Of several at one test, the outermost has the rules of
 * all checked together, so that none counts what another allocates.
 */
abstract class MeasuringExtension
        implements InvocationInterceptor, BeforeEachCallback, AfterEachCallback {

    private static final Namespace NAMESPACE = Namespace.create(MeasuringExtension.class);

    /** The invocation that this thread measures; the inner extensions look at it and stand back. */
    private static final ThreadLocal<@Nullable ExtensionContext> UNDER_WAY = new ThreadLocal<>();

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
        new Configuration(context).requireValid();
        Injection.requireRecording(context);
        requireRules(context);
    }

    /** Only to refuse what is wrong: what a factory makes has entries of its own. */
    private void requireRules(ExtensionContext context) {
        TestCase test = TestCase.of(context, Injection.isOneOfMany(context));
        List<Rule> rules = rules(test, context);
        Rules.requireRepeatable(test, rules, context);
        if (!AnnotationLookup.isAnnotated(test.method(), TestFactory.class)) {
            Rules.requireEntries(rules);
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
        if (!isFirst
                || context.getExecutionException().isPresent()
                || AnnotationLookup.isAnnotated(context.getRequiredTestMethod(), TestFactory.class)
                || store.get(JUDGED) != null) {
            return;
        }
        TestCase test = TestCase.of(context, Injection.isOneOfMany(context));
        if (all.stream().anyMatch(each -> !each.rules(test, context).isEmpty())) {
            throw new AssertionFailedError(
                    test.name()
                            + " was not judged: its method did not run to its end, and another"
                            + " extension hid that. Let the extension not skip the test, nor"
                            + " swallow what it throws; expect an exception with assertThrows.");
        }
    }

    @Override
    public final void interceptTestMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        if (UNDER_WAY.get() == context) {
            invocation.proceed();
        } else {
            interceptMethod(context, false, measured -> measured.method(invocation, call));
        }
    }

    @Override
    public final void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        if (UNDER_WAY.get() == context) {
            invocation.proceed();
        } else if (AllocationTestExtension.isOn(call.getExecutable())) {
            interceptMethod(context, false, measured -> measured.run(invocation, call));
        } else {
            interceptMethod(context, true, measured -> measured.method(invocation, call));
        }
    }

    @Override
    public final void interceptDynamicTest(
            Invocation<Void> invocation,
            DynamicTestInvocationContext call,
            ExtensionContext context)
            throws Throwable {
        if (UNDER_WAY.get() == context) {
            invocation.proceed();
        } else {
            ChainGuard.dynamicTest(
                    context,
                    () ->
                            intercept(
                                    context,
                                    true,
                                    measured -> measured.dynamicTest(invocation, call)));
        }
    }

    private static void interceptMethod(ExtensionContext context, boolean isOneOfMany, Step step)
            throws Throwable {
        ChainGuard.within(context, () -> intercept(context, isOneOfMany, step));
    }

    /** Whatever is done around the body of a test counts for no assertion around that. */
    private static void intercept(ExtensionContext context, boolean isOneOfMany, Step step)
            throws Throwable {
        ExtensionContext before = UNDER_WAY.get();
        UNDER_WAY.set(context);
        try {
            Judge.aside(
                    () -> {
                        PlanTables.keep(context);
                        TestCase test = TestCase.of(context, isOneOfMany);
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
        Rules.requireEntries(rules);
        return new Interception(rules, test, context);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.Code;
import io.heapsampler.assertions.internal.Judge;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Settings;
import io.heapsampler.assertions.internal.Subject;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;
import org.opentest4j.MultipleFailuresError;

/** Has rules checked in place of one invocation of a test. */
final class Interception {

    private static final Method NOTHING =
            ReflectionSupport.findMethod(Interception.class, "nothing").orElseThrow();

    /** JDK 17 changes the way in which a method is called after 15 calls. */
    private static final int CALLS = 20;

    private static final Interception TARGET = new Interception();

    private Interception() {}

    /**
     * What the harness is measured with: no static method, as no test is, so that the same compiled
     * code calls both.
     */
    @SuppressWarnings("MethodCanBeStatic")
    void nothing() {}

    /** Nothing is judged, but a probe shall count the body alone. */
    static void unmeasured(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call)
            throws Throwable {
        AllocationProbe probe = probe(call.getArguments().toArray());
        if (probe != null) {
            prepare(call.getExecutable(), call.getTarget().orElse(null));
            probe.reset();
        }
        invocation.proceed();
    }

    static void method(
            List<Rule> rules,
            TestCase test,
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        Method method = call.getExecutable();
        Object target = call.getTarget().orElse(null);
        Object[] arguments = call.getArguments().toArray();
        AllocationProbe probe = probe(arguments);
        prepare(method, target);
        prepare(NOTHING, TARGET);
        Code first =
                () -> {
                    reset(probe);
                    invocation.proceed();
                };
        Code repeated = call(method, target, arguments);
        Code again =
                () -> {
                    reset(probe);
                    repeated.run();
                };
        Object[] none = {}; // made here, or each call would allocate one for its missing arguments
        Code nothing = () -> ReflectionSupport.invokeMethod(NOTHING, TARGET, none);
        Code nothingAgain = method.canAccess(target) ? call(NOTHING, TARGET, none) : nothing;
        check(rules, new Subject(test.name(), first, again, nothing, nothingAgain), context);
    }

    /**
     * A call that allocates nothing itself, where the method is open to us and not to JUnit alone.
     */
    private static Code call(Method method, @Nullable Object target, Object[] arguments) {
        return method.trySetAccessible()
                ? () -> invoke(method, target, arguments)
                : () -> ReflectionSupport.invokeMethod(method, target, arguments);
    }

    private static void invoke(Method method, @Nullable Object target, Object[] arguments)
            throws Throwable {
        try {
            method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    static void dynamicTest(
            List<Rule> rules,
            TestCase test,
            Invocation<Void> invocation,
            DynamicTestInvocationContext call,
            ExtensionContext context)
            throws Throwable {
        Subject subject =
                new Subject(
                        test.name(),
                        invocation::proceed,
                        () -> call.getExecutable().execute(),
                        () -> {},
                        () -> {});
        check(rules, subject, context);
    }

    private static @Nullable AllocationProbe probe(Object[] arguments) {
        for (Object argument : arguments) {
            if (argument instanceof AllocationProbe probe) {
                return probe;
            }
        }
        return null;
    }

    private static void reset(@Nullable AllocationProbe probe) {
        if (probe != null) {
            probe.reset();
        }
    }

    /**
     * Makes the JVM set up its way to call a method, which allocates, by calls that it refuses for
     * their arguments: the method itself is not run.
     */
    private static void prepare(Method method, @Nullable Object target) {
        Object[] tooMany = new Object[method.getParameterCount() + 1];
        for (int i = 0; i < CALLS; i++) {
            try {
                ReflectionSupport.invokeMethod(method, target, tooMany);
            } catch (RuntimeException e) {
                // As expected.
            }
        }
    }

    private static void check(List<Rule> rules, Subject subject, ExtensionContext context)
            throws Throwable {
        Settings settings = new Configuration(context).settings();
        List<Verdict> verdicts = Judge.check(rules, subject, settings, false);
        for (Verdict verdict : verdicts) {
            context.publishReportEntry(Map.of("heapsampler " + verdict.rule(), text(verdict)));
        }
        Verdicts.of(context).add(TestCase.of(context).name(), verdicts);
        ArtifactFiles.publish(verdicts, context);
        throwErrors(verdicts);
    }

    private static String text(Verdict verdict) {
        String text = verdict.outcome() + ": " + verdict.summary();
        return verdict.note() == null ? text : text + "; " + verdict.note();
    }

    private static void throwErrors(List<Verdict> verdicts) throws Throwable {
        List<Throwable> failures = new ArrayList<>();
        Throwable abortion = null;
        for (Verdict verdict : verdicts) {
            Throwable error = verdict.error();
            if (error != null && verdict.outcome() == Outcome.FAILED) {
                failures.add(error);
            } else if (error != null) {
                abortion = error;
            }
        }
        if (failures.size() > 1) {
            throw new MultipleFailuresError("Allocations", failures);
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
        if (abortion != null) {
            throw abortion;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.Code;
import io.heapsampler.assertions.internal.Subject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;

/** The calls of a test as code that is measured: JUnit's one, and again on the same instance. */
final class Calls {

    private static final Method NOTHING =
            ReflectionSupport.findMethod(Calls.class, "nothing").orElseThrow();

    /** JDK 17 changes the way in which a method is called after 15 calls. */
    private static final int CALLS = Runtime.version().feature() < 18 ? 20 : 1;

    private static final Calls TARGET = new Calls();

    static {
        prepare(NOTHING, TARGET);
    }

    private Calls() {}

    /**
     * What the harness is measured with: no static method, as no test is, so that the same compiled
     * code calls both.
     */
    @SuppressWarnings("MethodCanBeStatic")
    void nothing() {}

    /** A call of which nothing is judged, but a probe shall count the body alone. */
    static Subject unmeasured(
            TestCase test, Invocation<Void> invocation, ReflectiveInvocationContext<Method> call) {
        AllocationProbe probe = probe(call.getArguments().toArray());
        if (probe != null) {
            prepare(call.getExecutable(), call.getTarget().orElse(null));
        }
        return once(test, first(probe, invocation));
    }

    private static Subject once(TestCase test, Code code) {
        return new Subject(test.name(), code, code, () -> {}, () -> {});
    }

    static Subject of(
            TestCase test, Invocation<Void> invocation, ReflectiveInvocationContext<Method> call) {
        Method method = call.getExecutable();
        Object target = call.getTarget().orElse(null);
        Object[] arguments = call.getArguments().toArray();
        AllocationProbe probe = probe(arguments);
        Code repeated = call(method, target, arguments);
        Code again =
                () -> {
                    reset(probe);
                    repeated.run();
                };
        Object[] none = {}; // made here, or each call would allocate one for its missing arguments
        Code nothing = () -> ReflectionSupport.invokeMethod(NOTHING, TARGET, none);
        Code nothingAgain = method.canAccess(target) ? call(NOTHING, TARGET, none) : nothing;
        return new Subject(test.name(), first(probe, invocation), again, nothing, nothingAgain);
    }

    private static Code first(@Nullable AllocationProbe probe, Invocation<Void> invocation) {
        return () -> {
            reset(probe);
            invocation.proceed();
        };
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

    static Subject ofDynamicTest(
            TestCase test, Invocation<Void> invocation, DynamicTestInvocationContext call) {
        Code again = () -> call.getExecutable().execute();
        return new Subject(test.name(), invocation::proceed, again, () -> {}, () -> {});
    }

    static Subject unmeasuredDynamicTest(TestCase test, Invocation<Void> invocation) {
        return once(test, invocation::proceed);
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

    /** Lets the JVM set up its way to call a method; that of the harness is set up already. */
    static void prepare(ReflectiveInvocationContext<Method> call) {
        prepare(call.getExecutable(), call.getTarget().orElse(null));
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
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.ThrowingRunnable;
import io.heapsampler.assertions.internal.Subject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;

/** The calls of a test as code that is measured: JUnit's one, and again on the same instance. */
final class Calls {

    private static final Method NOTHING =
            ReflectionSupport.findMethod(Calls.class, "nothing").orElseThrow();

    /** With the 16th call of a method, JDK 17 makes a class for calling it. */
    private static final int MANY = Runtime.version().feature() < 18 ? 20 : 1;

    /**
     * Methods that are prepared, with the number of calls. JUnit calls those of templates and of
     * superclasses for several tests. Equal methods share what the JVM sets up.
     */
    private static final Map<Method, Integer> PREPARED =
            Collections.synchronizedMap(new WeakHashMap<>());

    private static final Calls TARGET = new Calls();

    static {
        prepare(NOTHING, TARGET, true);
    }

    private Calls() {}

    /**
     * What the harness is measured with: no static method, as no test is, so that the same compiled
     * code calls both.
     */
    @SuppressWarnings("MethodCanBeStatic")
    void nothing() {}

    static Subject of(
            TestCase test, Invocation<Void> invocation, ReflectiveInvocationContext<Method> call) {
        Method method = call.getExecutable();
        Object target = call.getTarget().orElse(null);
        Object[] arguments = call.getArguments().toArray();
        AllocationProbe probe = probe(arguments);
        ThrowingRunnable repeated = call(method, target, arguments);
        ThrowingRunnable again =
                () -> {
                    reset(probe);
                    repeated.run();
                };
        Object[] none = {}; // made here, or each call would allocate one for its missing arguments
        ThrowingRunnable nothing = () -> ReflectionSupport.invokeMethod(NOTHING, TARGET, none);
        ThrowingRunnable nothingAgain =
                method.canAccess(target) ? call(NOTHING, TARGET, none) : nothing;
        ThrowingRunnable first =
                () -> {
                    reset(probe);
                    invocation.proceed();
                };
        return new Subject(test.name(), first, again, nothing, nothingAgain);
    }

    /**
     * A call that allocates nothing itself, where the method is open to us and not to JUnit alone.
     */
    private static ThrowingRunnable call(
            Method method, @Nullable Object target, Object[] arguments) {
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
        ThrowingRunnable again = () -> call.getExecutable().execute();
        return new Subject(test.name(), invocation::proceed, again, () -> {}, () -> {});
    }

    /** Returns the probe among arguments; null if there is none. */
    static @Nullable AllocationProbe probe(Object... arguments) {
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
     * Lets the JVM set up its way to call a method; that of the harness is set up already.
     *
     * @param isRepeated whether this test calls it more than a few times
     */
    static void prepare(ReflectiveInvocationContext<Method> call, boolean isRepeated) {
        prepare(call.getExecutable(), call.getTarget().orElse(null), isRepeated);
    }

    /**
     * Makes the JVM set up its way to call a method, which allocates, by calls that it refuses for
     * their arguments: the method itself is not run. Making a class for it takes half a millisecond
     * on JDK 17, so a method that is called once is spared that.
     */
    private static void prepare(Method method, @Nullable Object target, boolean isRepeated) {
        int calls = isRepeated || PREPARED.containsKey(method) ? MANY : 1;
        if (PREPARED.getOrDefault(method, 0) >= calls) {
            return;
        }
        PREPARED.put(method, calls);
        Object[] tooMany = new Object[method.getParameterCount() + 1];
        for (int i = 0; i < calls; i++) {
            try {
                ReflectionSupport.invokeMethod(method, target, tooMany);
            } catch (RuntimeException e) {
                // As expected.
            }
        }
    }
}

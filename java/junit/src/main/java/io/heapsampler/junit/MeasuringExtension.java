// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Judge;
import io.heapsampler.assertions.internal.Rule;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * What measures the invocations of tests; subclasses say with which rules, and have wrong ones
 * refused before anything of a test runs.
 */
abstract class MeasuringExtension implements InvocationInterceptor {

    /** Reads the rules of a test. */
    abstract List<Rule> rules(TestCase test, ExtensionContext context);

    /** Only to refuse what is wrong: what a factory makes has entries of its own. */
    void requireRules(ExtensionContext context) {
        TestCase test = TestCase.of(context, Injection.isOneOfMany(context));
        List<Rule> rules = rules(test, context);
        if (!AnnotationSupport.isAnnotated(test.method(), TestFactory.class)) {
            Rules.requireEntries(rules);
        }
    }

    private List<Rule> required(TestCase test, ExtensionContext context) {
        List<Rule> rules = rules(test, context);
        Rules.requireEntries(rules);
        return rules;
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        intercept(invocation, call, context, TestCase.of(context, false));
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context)
            throws Throwable {
        intercept(invocation, call, context, TestCase.of(context, true));
    }

    private void intercept(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> call,
            ExtensionContext context,
            TestCase test)
            throws Throwable {
        List<Rule> rules = Judge.aside(() -> required(test, context));
        Injection.requireThisThread(test, call.getArguments(), context);
        if (rules.isEmpty()) {
            Interception.unmeasured(invocation, call);
        } else {
            Judge.aside(
                    () -> {
                        Interception.method(rules, test, invocation, call, context);
                        return rules;
                    });
        }
    }

    @Override
    public void interceptDynamicTest(
            Invocation<Void> invocation,
            DynamicTestInvocationContext call,
            ExtensionContext context)
            throws Throwable {
        TestCase test = TestCase.of(context, true);
        List<Rule> rules = Judge.aside(() -> required(test, context));
        if (rules.isEmpty()) {
            invocation.proceed();
        } else {
            Judge.aside(
                    () -> {
                        Interception.dynamicTest(rules, test, invocation, call, context);
                        return rules;
                    });
        }
    }
}

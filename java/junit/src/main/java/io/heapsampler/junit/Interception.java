// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Judge;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Settings;
import io.heapsampler.assertions.internal.Subject;
import io.heapsampler.assertions.internal.Trials;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.assertions.internal.Verdict.Outcome;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.MultipleFailuresError;

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
        if (rules.isEmpty()) {
            Calls.unmeasured(test, invocation, call).run();
            return;
        }
        InnerInterceptors.refuse(test, rules, context);
        Calls.prepare(call, rules.stream().anyMatch(rule -> rule.repeats().isAsked()));
        check(Calls.of(test, invocation, call));
    }

    /** One run of an {@link AllocationTest}; the last one reports, and fails. */
    void run(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call)
            throws Throwable {
        if (rules.isEmpty()) {
            throw new ExtensionConfigurationException(
                    "At "
                            + Placement.place(test.method())
                            + ": @AllocationTest has nothing to judge. Add @NoAllocation,"
                            + " @MaxAllocation, @MaxRetained, @NoLeaks or @AllocationBaseline, or"
                            + " write @Test.");
        }
        Injection.requireThisThread(test, call.getArguments(), context);
        InnerInterceptors.refuse(test, rules, context);
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
        return Trials.of(test.name(), rules, new Configuration(context).settings());
    }

    void dynamicTest(Invocation<Void> invocation, DynamicTestInvocationContext call)
            throws Throwable {
        if (rules.isEmpty()) {
            Calls.unmeasuredDynamicTest(test, invocation).run();
        } else {
            InnerInterceptors.refuse(test, rules, context);
            check(Calls.ofDynamicTest(test, invocation, call));
        }
    }

    private void check(Subject subject) throws Throwable {
        Settings settings = new Configuration(context).settings();
        report(Judge.check(rules, subject, settings, () -> SetUp.isStateless(test, context)));
    }

    private void report(List<Verdict> verdicts) throws Throwable {
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Rule;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Behind the annotations. Refuses wrong ones before anything of the test runs. */
final class HeapAssertionsExtension extends MeasuringExtension
        implements BeforeAllCallback, ParameterResolver {

    @Override
    public void beforeAll(ExtensionContext context) {
        JUnitVersion.requireSupported();
        Placement.requireTests(context.getRequiredTestClass());
    }

    @Override
    void requireValid(ExtensionContext context) {
        Placement.requireTests(context.getRequiredTestClass());
        TestCase test = TestCase.of(context, Injection.isOneOfMany(context));
        Rules.requireLimitOfSurvivors(test, () -> rules(test, context));
    }

    @Override
    List<Rule> rules(TestCase test, ExtensionContext context) {
        return Annotations.rules(test, context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return Injection.supports(parameter) && Injection.taker(context) == null;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Injection.resolve(parameter, context);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.commons.support.AnnotationSupport;

/** Behind the annotations. Refuses wrong ones before anything of the test runs. */
final class HeapAssertionsExtension extends MeasuringExtension
        implements BeforeAllCallback, ParameterResolver {

    @Override
    public void beforeAll(ExtensionContext context) {
        Placement.requireJUnit();
        Placement.requireTests(context.getRequiredTestClass());
    }

    @Override
    void requireValid(ExtensionContext context) {
        Placement.requireTests(context.getRequiredTestClass());
        TestCase test = TestCase.of(context);
        boolean isAllowed =
                !AnnotationLookup.findRepeated(test.method(), AllowedLeak.class).isEmpty();
        if (isAllowed && !limitsSurvivors(test, context)) {
            throw Placement.refused(
                    test.method(),
                    """
                    @AllowedLeak allows what nothing forbids. Add @NoLeaks or @MaxRetained, or \
                    remove @AllowedLeak.\
                    """,
                    null);
        }
    }

    private boolean limitsSurvivors(TestCase test, ExtensionContext context) {
        return rules(test, context).stream()
                        .anyMatch(r -> r instanceof LeakRule || r instanceof RetentionRule)
                || test.classes().stream().anyMatch(HeapAssertionsExtension::hasLimitsByCode);
    }

    private static boolean hasLimitsByCode(Class<?> type) {
        return !AnnotationSupport.findAnnotatedFields(
                        type,
                        RegisterExtension.class,
                        field -> field.getType() == HeapSamplerExtension.class)
                .isEmpty();
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.commons.support.AnnotationSupport;

/** Refuses tests whose rules cannot be judged as they are written. */
final class Rules {

    private Rules() {}

    static ExtensionConfigurationException refused(
            AnnotatedElement element, String why, @Nullable Exception cause) {
        return new ExtensionConfigurationException(
                "At " + Placement.place(element) + ": " + why, cause);
    }

    /** Refuses permissions to leak where nothing forbids it: what they are for is not checked. */
    static void requireLimitOfSurvivors(TestCase test, Supplier<List<Rule>> rules) {
        if (isAllowed(test.method()) && !isLimited(test, rules.get())) {
            throw refused(
                    test.method(),
                    "@AllowedLeak allows what nothing forbids. Add @NoLeaks or @MaxRetained, or"
                            + " remove @AllowedLeak.",
                    null);
        }
    }

    private static boolean isLimited(TestCase test, List<Rule> rules) {
        return rules.stream().anyMatch(r -> r instanceof LeakRule || r instanceof RetentionRule)
                || test.classes().stream().anyMatch(Rules::hasLimitsByCode);
    }

    private static boolean hasLimitsByCode(Class<?> type) {
        return !AnnotationSupport.findAnnotatedFields(
                        type,
                        RegisterExtension.class,
                        field -> field.getType() == HeapSamplerExtension.class)
                .isEmpty();
    }

    private static boolean isAllowed(Method method) {
        return !AnnotationLookup.findRepeated(method, AllowedLeak.class).isEmpty();
    }

    /**
     * Refuses to repeat what JUnit sets up once: a run that was not set up again is no evidence.
     */
    static void requireRepeatable(TestCase test, List<Rule> rules, ExtensionContext context) {
        for (Rule rule : rules) {
            String why = rule.repeats().isAsked() ? refusal(test, context) : "";
            if (!why.isEmpty()) {
                throw refused(test.method(), rule.name() + " needs several runs, and " + why, null);
            }
        }
    }

    /** Returns why a test cannot be repeated; empty if it can. */
    private static String refusal(TestCase test, ExtensionContext context) {
        String argument = SetUp.sharedArgument(test).orElse("");
        if (!argument.isEmpty()) {
            return """
            all of them get the same argument of the parameterized class, which the first may \
            use up: %s. Let the class take plain values, such as numbers and strings, and make \
            the rest in @BeforeEach.\
            """
                    .formatted(argument);
        }
        String setUp = test.isTemplate() ? "" : SetUp.of(test, context).orElse("");
        return setUp.isEmpty()
                ? ""
                : """
                a method that is only called again finds used what JUnit makes anew for each \
                test: %s. Write @AllocationTest in place of @Test: each run then has a fresh \
                instance with its set-up.\
                """
                        .formatted(setUp);
    }

    /** Refuses tests whose baseline is missing. */
    static void requireEntries(List<Rule> rules) {
        rules.forEach(Rules::requireEntry);
    }

    private static void requireEntry(Rule rule) {
        if (!(rule instanceof BaselineRule baseline) || baseline.updates()) {
            return;
        }
        try {
            String missing = baseline.baseline().missing(baseline.key());
            if (missing != null) {
                throw new ExtensionConfigurationException("At " + baseline.key() + ": " + missing);
            }
        } catch (IOException e) {
            String what =
                    baseline.baseline().file() + " (" + e + "). Correct its permissions, or set";
            throw unreadable(baseline, what + " heapsampler.junit.baseline.directory.", e);
        } catch (IllegalArgumentException e) {
            throw unreadable(baseline, String.valueOf(e.getMessage()), e);
        }
    }

    private static ExtensionConfigurationException unreadable(
            BaselineRule rule, String why, Exception cause) {
        return new ExtensionConfigurationException(
                "At " + rule.key() + ": its baseline cannot be read: " + why, cause);
    }
}

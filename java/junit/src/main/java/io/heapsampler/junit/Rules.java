// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.Rule;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** The rules that hold for a test. Of each kind, those of the nearest element. */
final class Rules {

    private Rules() {}

    /**
     * Reads the rules of a test.
     *
     * @throws ExtensionConfigurationException if one cannot be understood; with the place
     */
    static List<Rule> of(TestCase test, ExtensionContext context) {
        Configuration configuration = new Configuration(context);
        List<Rule> rules = new ArrayList<>();
        Allowances allowed = Ledger.of(context).allowances(test);
        rules.addAll(nearest(test, Annotations::allocation));
        rules.addAll(nearest(test, element -> Annotations.retention(element, allowed)));
        rules.addAll(nearest(test, element -> Annotations.leaks(element, allowed)));
        rules.addAll(nearest(test, element -> Annotations.baseline(element, test, configuration)));
        return rules;
    }

    /** Refuses tests whose baseline is missing. */
    static void requireEntries(List<Rule> rules) {
        rules.forEach(Rules::requireEntry);
    }

    private static List<Rule> nearest(
            TestCase test, Function<AnnotatedElement, List<Rule>> reader) {
        for (AnnotatedElement element : test.elements()) {
            try {
                List<Rule> rules = reader.apply(element);
                if (!rules.isEmpty()) {
                    return rules;
                }
            } catch (IllegalArgumentException e) {
                throw new ExtensionConfigurationException(
                        "At " + place(element) + ": " + e.getMessage(), e);
            }
        }
        return List.of();
    }

    static String place(AnnotatedElement element) {
        if (element instanceof Method method) {
            return method.getDeclaringClass().getName() + "." + method.getName();
        }
        return element.toString();
    }

    private static void requireEntry(Rule rule) {
        if (!(rule instanceof BaselineRule baseline) || baseline.updates()) {
            return;
        }
        String remedy = " Run the test once with -Dheapsampler.update=true, and check the file in.";
        try {
            if (!baseline.baseline().has(baseline.key())) {
                throw new ExtensionConfigurationException(
                        "At "
                                + baseline.key()
                                + ": there is no baseline for it in "
                                + baseline.baseline().file().toAbsolutePath()
                                + "."
                                + remedy);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new ExtensionConfigurationException(
                    "At " + baseline.key() + ": its baseline cannot be read: " + e.getMessage(), e);
        }
    }

    /** Refuses annotations on methods that are no tests, which would never be looked at. */
    static void requireTests(Class<?> type) {
        for (Method method :
                ReflectionSupport.findMethods(
                        type, method -> true, HierarchyTraversalMode.TOP_DOWN)) {
            for (Class<? extends Annotation> annotation : Annotations.ALL) {
                if (AnnotationSupport.isAnnotated(method, annotation)
                        && !AnnotationSupport.isAnnotated(method, Testable.class)) {
                    throw new ExtensionConfigurationException(
                            "At "
                                    + place(method)
                                    + ": @"
                                    + annotation.getSimpleName()
                                    + " is on a method that is no test, so nothing would be"
                                    + " measured. Move it to a test method or to the class.");
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.BaselineRule;
import io.heapsampler.assertions.internal.Rule;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

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
        Annotations reader = new Annotations(configuration, Ledger.of(context).allowances(test));
        List<Rule> rules = new ArrayList<>();
        rules.addAll(nearest(test, reader::allocation));
        rules.addAll(nearest(test, reader::retention));
        rules.addAll(nearest(test, reader::leaks));
        rules.addAll(nearest(test, element -> reader.baseline(element, test)));
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
                        "At " + Placement.place(element) + ": " + e.getMessage(), e);
            }
        }
        return List.of();
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
        } catch (IOException | IllegalArgumentException e) {
            throw new ExtensionConfigurationException(
                    "At " + baseline.key() + ": its baseline cannot be read: " + e.getMessage(), e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** The classes of cases; each runs in a JVM of its own, so that heaps stay small. */
final class Groups {

    private static final String PACKAGE = Groups.class.getPackageName() + ".cases.";

    static final List<String> NAMES =
            List.of(
                    "JdkLeaks",
                    "LibraryLeaks",
                    "MoreJdkLeaks",
                    "MoreLibraryLeaks",
                    "JdkCaches",
                    "JdkUses",
                    "LibraryUses",
                    "MoreLibraryUses",
                    "FreeCalls",
                    "CompiledCalls",
                    "AllocatingCalls",
                    "Budgets",
                    "SetUpBudgets");

    private Groups() {}

    static Class<?> find(String name) {
        try {
            return Class.forName(PACKAGE + name);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(name + " is none of " + NAMES, e);
        }
    }

    /** Returns the tests, those of a template included. */
    static List<Method> tests(Class<?> group) {
        return Arrays.stream(group.getDeclaredMethods())
                .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
                .sorted(Comparator.comparing(Method::getName))
                .toList();
    }

    static Truth truth(Method test) {
        Known known = known(test);
        return (known == null ? known(test.getDeclaringClass()) : known).value();
    }

    private static Known known(AnnotatedElement element) {
        return element.getAnnotation(Known.class);
    }
}

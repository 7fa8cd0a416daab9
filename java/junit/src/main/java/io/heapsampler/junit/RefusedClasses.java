// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * Fails each test class that cannot be measured as it is written. JUnit reads extensions from
 * annotations on tests and classes only. It would ignore an annotation of this package on another
 * method, or on a method that a test overrides, and a JUnit before 5.12 cannot read them at all.
 * All other classes of the test plan run.
 *
 * <p>JUnit's launcher finds this class by itself. It sees classes with tests only: an annotation on
 * a class in which JUnit finds no test is as silent as that class.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.INTERNAL, since = "0.1")
public final class RefusedClasses implements PostDiscoveryFilter {

    private static final String JUPITER = "junit-jupiter";

    /** Made by JUnit's launcher. */
    public RefusedClasses() {}

    /**
     * Replaces a class that cannot be measured with one that fails. Filters nothing out.
     *
     * @param descriptor a class or anything else that was found
     * @return always that it is included
     */
    @Override
    public FilterResult apply(TestDescriptor descriptor) {
        TestSource source = descriptor.getSource().orElse(null);
        if (source instanceof ClassSource classSource && isJupiter(descriptor)) {
            String problem = problem(classSource);
            if (!problem.isEmpty()) {
                RefusedClass.replace(descriptor, problem);
            }
        }
        return FilterResult.included("not for us to decide");
    }

    private static boolean isJupiter(TestDescriptor descriptor) {
        return descriptor.getUniqueId().getEngineId().filter(JUPITER::equals).isPresent();
    }

    /** Returns why a class is refused; empty if it is not, or if JUnit itself cannot read it. */
    private static String problem(ClassSource source) {
        try {
            Class<?> type = source.getJavaClass();
            return JUnitVersion.IS_SUPPORTED
                    ? Placement.problem(type)
                    : Placement.isAnnotated(type) ? JUnitVersion.PROBLEM : "";
        } catch (LinkageError | RuntimeException e) {
            return "";
        }
    }
}

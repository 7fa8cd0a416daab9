// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import org.junit.platform.commons.PreconditionViolationException;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * Refuses annotations of this package that are on methods that are no tests: JUnit calls nobody for
 * them, so they would never be looked at. JUnit's launcher finds this class by itself; no test
 * needs it.
 *
 * <p>It sees classes with tests only. An annotation on a class in which JUnit finds no test is as
 * silent as that class.
 *
 * <p>Safe for use by many threads.
 */
public final class MisplacedAnnotations implements PostDiscoveryFilter {

    private static final String JUPITER = "junit-jupiter";

    /** Made by JUnit's launcher. */
    public MisplacedAnnotations() {}

    /**
     * Looks at a class; filters nothing out.
     *
     * @param descriptor a class or anything else that was found
     * @return always that it is included
     * @throws PreconditionViolationException if an annotation is misplaced; with its place
     */
    @Override
    public FilterResult apply(TestDescriptor descriptor) {
        TestSource source = descriptor.getSource().orElse(null);
        if (source instanceof ClassSource classSource && isJupiter(descriptor)) {
            String problem = Placement.problem(classSource.getJavaClass());
            if (!problem.isEmpty()) {
                throw new PreconditionViolationException(problem);
            }
        }
        return FilterResult.included("not for us to decide");
    }

    private static boolean isJupiter(TestDescriptor descriptor) {
        return descriptor.getUniqueId().getEngineId().filter(JUPITER::equals).isPresent();
    }
}

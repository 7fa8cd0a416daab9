// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;
import org.junit.jupiter.api.parallel.Resources;

/**
 * Takes the global lock for tests in which all threads count, and none for others. JUnit requests
 * locks before anything runs, and finds them at annotations only. A limit that is set by code
 * therefore needs an annotation with the lock.
 */
final class ProcessWideLocks implements ResourceLocksProvider {

    private static final String PARALLEL = "junit.jupiter.execution.parallel.enabled";

    @Override
    public Set<Lock> provideForClass(Class<?> testClass) {
        return locks(testClass);
    }

    @Override
    public Set<Lock> provideForNestedClass(List<Class<?>> enclosing, Class<?> testClass) {
        return locks(testClass);
    }

    @Override
    public Set<Lock> provideForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
        return locks(method);
    }

    /**
     * Refuses a test beside which others may run, for a limit that is set by code.
     *
     * @throws ExtensionConfigurationException with the place
     */
    static void requireAlone(String limit, ExtensionContext context) {
        TestCase test = TestCase.of(context);
        if (isParallel(context) && test.elements().stream().noneMatch(ProcessWideLocks::isLocked)) {
            throw Placement.refused(
                    test.method(),
                    """
                    %s, which is set by code, counts what all threads allocate, but tests run in \
                    parallel (%s), so that those of other tests would count. JUnit finds locks at \
                    annotations only. Add @Isolated to the class, or \
                    @ResourceLock(Resources.GLOBAL) to the test, or write the limit as an \
                    annotation with threads = ThreadScope.ALL, which takes the lock.\
                    """
                            .formatted(limit, PARALLEL),
                    null);
        }
    }

    /** May several tests run at a time? */
    static boolean isParallel(ExtensionContext context) {
        return context.getConfigurationParameter(PARALLEL, Boolean::parseBoolean).orElse(false);
    }

    /** {@code @Isolated} is such a lock as well. */
    private static boolean isLocked(AnnotatedElement element) {
        return !locks(element).isEmpty()
                || AnnotationLookup.findRepeated(element, ResourceLock.class).stream()
                        .anyMatch(
                                lock ->
                                        lock.value().equals(Resources.GLOBAL)
                                                && lock.mode() == ResourceAccessMode.READ_WRITE);
    }

    private static Set<Lock> locks(AnnotatedElement element) {
        return Annotations.threads(element).contains(ThreadScope.ALL)
                ? Set.of(new Lock(Resources.GLOBAL, ResourceAccessMode.READ_WRITE))
                : Set.of();
    }
}

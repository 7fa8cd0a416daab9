// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;
import org.junit.jupiter.api.parallel.Resources;

/** Takes the global lock for tests in which all threads count, and none for others. */
final class ProcessWideLocks implements ResourceLocksProvider {

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

    private static Set<Lock> locks(AnnotatedElement element) {
        return Annotations.threads(element).contains(ThreadScope.ALL)
                ? Set.of(new Lock(Resources.GLOBAL, ResourceAccessMode.READ_WRITE))
                : Set.of();
    }
}

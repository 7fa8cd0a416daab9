// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import io.heapsampler.internal.FacadeAccess;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The class loaders of this process. Nothing here keeps one of them: a caller that does not either
 * can watch how they go. Safe for use by many threads.
 */
public final class ClassLoaders {

    private ClassLoaders() {}

    /**
     * Shows each class loader of the process once, also those that have defined no class. The boot
     * loader is no object and is missing. Loaders that died since the last collection may be among
     * them: the next collection shows which.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException if the library cannot be loaded, or
     *     the JVM refuses
     */
    public static void visit(Consumer<ClassLoader> visitor) {
        for (ClassLoader loader : FacadeAccess.classLoaders()) {
            visitor.accept(loader);
        }
    }

    /**
     * Returns the names of the classes that a loader has defined, in the order of the alphabet,
     * without arrays.
     *
     * @throws io.heapsampler.HeapSamplingUnavailableException as {@link #visit}
     */
    public static List<String> definedBy(ClassLoader loader) {
        return Arrays.stream(FacadeAccess.classesOf(loader))
                .filter(each -> each.getClassLoader() == loader && !each.isArray())
                .map(Class::getName)
                .sorted()
                .toList();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.internal.shared.KeptTables;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;

/**
 * Keeps the sampler's tables from the first measured test of a run to the end of the run, since
 * each of them opens a recording. Where the library is missing, there is nothing to keep.
 */
@SuppressWarnings("deprecation") // 5.12 closes nothing else; later ones close this, too.
final class PlanTables implements Store.CloseableResource, AutoCloseable {

    private static final Namespace NAMESPACE = Namespace.create(PlanTables.class);

    private final @Nullable KeptTables tables;

    private PlanTables() {
        tables = open();
    }

    private static @Nullable KeptTables open() {
        try {
            return KeptTables.open();
        } catch (HeapSamplingUnavailableException e) {
            return null; // each assertion says so itself
        }
    }

    /** Begins to keep them, unless another test of the run has. */
    static void keep(ExtensionContext context) {
        context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(PlanTables.class, key -> new PlanTables(), PlanTables.class);
    }

    @Override
    public void close() {
        if (tables != null) {
            tables.close();
        }
    }
}

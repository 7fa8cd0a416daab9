// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** Whether the first child that is seen of this process still lives. For one thread. */
final class ChildLife implements BooleanSupplier {

    private Path folder;

    @Override
    public boolean getAsBoolean() {
        if (folder == null) {
            folder =
                    ProcessHandle.current()
                            .children()
                            .map(child -> Path.of("/proc/" + child.pid()))
                            .findFirst()
                            .orElse(null);
        }
        return folder != null && Files.exists(folder);
    }
}

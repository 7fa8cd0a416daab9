// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import java.util.List;

/** How code is run. */
enum Mode {
    TIERED,
    INTERPRETED("-Xint"),
    C1("-XX:TieredStopAtLevel=1"),
    C2("-XX:-TieredCompilation");

    private final List<String> flags;

    Mode(String... flags) {
        this.flags = List.of(flags);
    }

    List<String> flags() {
        return flags;
    }
}

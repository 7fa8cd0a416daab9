// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.nio.file.Path;

/** What the parent does to a JVM while it runs. */
interface Companion {

    /** Lets it be. */
    Companion NONE = (process, output) -> {};

    /**
     * Does it; the JVM may end meanwhile.
     *
     * @param output where the JVM prints to
     */
    void accompany(Process process, Path output) throws Exception;
}

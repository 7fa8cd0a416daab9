// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shading plugin has moved the classes to another package and put all into one jar. */
class RelocatedTest {

    private static final String PACKAGE = "com/example/application/shaded/heap/";

    @TempDir Path folder;

    private Outcome probe(String... steps) throws IOException {
        Path jar = Jars.relocated(folder.resolve("shaded.jar"), PACKAGE);
        String probe = PACKAGE.replace('/', '.') + "loading.Probe";
        return new ForkedJvm(folder).classPath(jar).main(probe, steps);
    }

    @Test
    void movedClassesSample() throws IOException {
        Outcome outcome = probe("supported", "sample", "left").assertSampled();
        assertThat(outcome.value("supported")).isEqualTo("true");
        assertThat(outcome.value("version")).isEqualTo(Core.version());
        assertThat(outcome.value("left")).isEqualTo("[]");
    }

    @Test
    void ownFramesAreHiddenThereToo() throws IOException {
        assertOwnFramesHidden(probe("own"));
    }

    @Test
    void ownFramesAreHiddenInTheUsualPackage() {
        assertOwnFramesHidden(new ForkedJvm(folder).probe("own"));
    }

    private static void assertOwnFramesHidden(Outcome outcome) {
        outcome.assertSampled();
        assertThat(outcome.value("own")).isEqualTo("[]");
        assertThat(outcome.value("hidden")).isEqualTo("true");
    }
}

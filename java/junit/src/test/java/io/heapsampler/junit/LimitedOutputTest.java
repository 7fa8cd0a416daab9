// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heapsampler.junit.ArtifactFiles.LimitedOutput;
import io.heapsampler.junit.ArtifactFiles.NotWrittenException;
import io.heapsampler.junit.ArtifactFiles.Room;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Files end at their limit while they are written. */
class LimitedOutputTest {

    private final Room ofTest = new Room("test", 10);
    private final Room ofRun = new Room("run", 15);
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();

    private LimitedOutput output() {
        return new LimitedOutput(file, List.of(ofTest, ofRun));
    }

    @Test
    void writingEndsAtTheLimit() throws IOException {
        LimitedOutput out = output();
        out.write(new byte[9]);
        out.write(1);

        assertThatExceptionOfType(NotWrittenException.class)
                .isThrownBy(() -> out.write(1))
                .withMessage("with it, files would be larger than test allows");
        assertThat(file.size()).isEqualTo(10);
    }

    @Test
    void roomOfAFileThatIsLeftOutIsGivenBack() throws IOException {
        LimitedOutput first = output();
        first.write(new byte[6]);
        assertThatExceptionOfType(NotWrittenException.class)
                .isThrownBy(() -> first.write(new byte[6]));
        first.giveBack();

        output().write(new byte[10]);

        assertThat(ofTest.take(1)).isFalse();
        assertThat(ofRun.take(6)).isFalse();
        assertThat(ofRun.take(5)).isTrue();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.support.Wanted;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pattern for cells that matches none is an error, and not a run without a failure. */
class WantedTest {

    private static final String PROPERTY = "walk.test.cells";
    private static final List<String> CELLS = List.of("21-g1-bank", "25-z-fop");

    private static Wanted by(String pattern) {
        System.setProperty(PROPERTY, pattern);
        return Wanted.by(PROPERTY);
    }

    @AfterEach
    void forget() {
        System.clearProperty(PROPERTY);
    }

    @Test
    void patternThatMatchesNothingIsRefusedWithTheNamesOfAllCells() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> by("22-*").check(CELLS))
                .withMessage("No cell matches \"22-*\". There are: 21-g1-bank, 25-z-fop");
    }

    @Test
    void patternThatMatchesOneIsTaken() {
        assertThatCode(() -> by("25-*").check(CELLS)).doesNotThrowAnyException();
        assertThatCode(() -> by("").check(CELLS)).doesNotThrowAnyException();
    }
}

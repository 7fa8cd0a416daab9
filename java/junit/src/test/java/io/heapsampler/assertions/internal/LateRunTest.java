// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.assertions.Code;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** An assertion that has not seen the first run, for there was no recording for it then. */
class LateRunTest {

    private boolean isUsed;

    private void use() {
        if (isUsed) {
            throw new IllegalStateException("used up");
        }
        isUsed = true;
    }

    @Test
    void codeThatCannotBeRepeatedIsToldWhyItWas() throws Throwable {
        Code empty = () -> {};
        Subject subject = new Subject("The code", this::use, this::use, empty, empty);
        subject.run();

        AllocationRule rule = new AllocationRule("@Rule", Scope.TEST, "1 KB", 1024, -1, -1, -1);
        Verdict verdict = Judge.check(rule, subject, Settings.DEFAULT);

        assertThat(verdict.error())
                .isInstanceOf(AssertionFailedError.class)
                .hasMessage(
                        "@Rule of The code has no verdict: its first run was that of another"
                                + " assertion of this test, and run 2 threw"
                                + " java.lang.IllegalStateException: used up. Code is run again on"
                                + " the same instance, without @BeforeEach, to tell what it"
                                + " allocates from what loading and compiling do. Make it"
                                + " repeatable, or give each assertion a test of its own.");
    }
}

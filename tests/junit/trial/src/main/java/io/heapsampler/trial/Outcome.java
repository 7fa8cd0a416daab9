// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial;

import org.junit.platform.engine.TestExecutionResult;

/** How a test ended; of several runs the later constant is the outcome of all. */
enum Outcome {
    PASSED,
    FAILED,
    NOT_MEASURED,
    /** Something else than an assertion failed. */
    ERROR,
    /** Its JVM ended. */
    DIED;

    static Outcome of(TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
            return PASSED;
        }
        Throwable problem = result.getThrowable().orElse(null);
        String text = problem == null ? "" : String.valueOf(problem.getMessage());
        if (result.getStatus() == TestExecutionResult.Status.ABORTED
                || text.contains("not measured")) {
            return NOT_MEASURED;
        }
        return problem instanceof AssertionError ? FAILED : ERROR;
    }
}

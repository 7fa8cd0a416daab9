// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

import io.heapsampler.ApiStatus;

/**
 * The outcome of an assertion that could not be measured: the sampler is not available, there are
 * too few samples for a verdict, or some were lost that could be beyond the limit. Under the
 * Epsilon collector, which collects nothing, assertions about live objects are always {@link #ABORT
 * aborted}.
 *
 * <pre>{@code
 * assertAllocations(code).whenNotMeasured(WhenNotMeasured.ABORT).leavesBehindAtMost("64 KB");
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public enum WhenNotMeasured {

    /** It fails. The default: nothing passes that was not measured. */
    FAIL,

    /**
     * The test is aborted by a {@link org.opentest4j.TestAbortedException}, which JUnit Jupiter
     * reports as skipped.
     *
     * <p>JUnit 4 and TestNG do not know that exception and report a failure, which says that
     * nothing was measured. To skip the test there, catch it and throw the framework's own
     * exception, {@code org.junit.AssumptionViolatedException} or {@code org.testng.SkipException},
     * or use {@link #IGNORE}. The assertions of module {@code heapsampler-assertj} throw the
     * exception of the framework that is there.
     */
    ABORT,

    /**
     * It passes. A warning is logged, and under JUnit a report entry is published. A test with a
     * parameter that is not available, such as a recording, cannot run and is aborted.
     */
    IGNORE
}

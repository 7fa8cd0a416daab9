// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

/**
 * What becomes of an assertion that could not be measured: the sampler is not available, there are
 * too few samples for a verdict, or some were lost that could be beyond the limit.
 *
 * <pre>{@code
 * assertAllocations(code).whenNotMeasured(WhenNotMeasured.ABORT).retains("64 KB");
 * }</pre>
 */
public enum WhenNotMeasured {

    /** It fails. The default: nothing passes that was not looked at. */
    FAIL,

    /** The test is aborted, which JUnit reports as skipped. */
    ABORT,

    /**
     * It passes. A warning is logged, and under JUnit a report entry is published. A test with a
     * parameter that cannot be had, such as a recording, cannot run and is aborted.
     */
    IGNORE
}

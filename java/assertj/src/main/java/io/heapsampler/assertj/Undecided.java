// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.ApiStatus;

/**
 * What happens where the samples do not allow a verdict: the limit lies within the 95 % interval,
 * or a part of the figure is not known.
 *
 * <pre>{@code
 * assertThat(snapshot).whenUndecided(Undecided.ABORTS).sitesOf(byte[].class).allocatesAtMost("1 MB");
 * }</pre>
 *
 * <p>A verdict comes with a smaller interval, for its errors are smaller; with interval 0 there are
 * none.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public enum Undecided {
    /** The assertion fails. The default: nothing passes without a verdict. */
    FAILS,

    /**
     * The test is aborted, as by an assumption that does not hold: JUnit and TestNG report it as
     * skipped. With soft assertions as well, it ends at once.
     */
    ABORTS,

    /** The assertion passes, so that only figures surely beyond the limit fail. */
    PASSES
}

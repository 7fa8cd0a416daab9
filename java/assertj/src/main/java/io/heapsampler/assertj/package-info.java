// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * AssertJ assertions over heap snapshots. {@link io.heapsampler.assertj.HeapSamplerAssertions} is
 * the way in.
 *
 * <p>Figures of a snapshot are estimates, so a comparison with a limit has three outcomes: the
 * whole 95 % interval keeps to the limit, and the assertion passes; the whole interval is beyond
 * it, and the assertion fails; or the limit lies within the interval, and nothing can be said. What
 * happens then is chosen by {@link io.heapsampler.assertj.Undecided}; by default the assertion
 * fails, and says which smaller interval would decide. If the truth is just at the limit, an
 * assertion passes or fails wrongly in at most about one run of forty each; the farther away the
 * truth is, the less often.
 *
 * <p>Amounts of bytes are written as {@code "64 KB"} or {@code "1.5 MB"}. The units are B, KB, KiB,
 * MB, MiB, GB and GiB, in any case; 1 KB is 1 KiB is 1,024 bytes.
 *
 * <p>References are never null unless they are marked {@code @Nullable}. Assertions fail with an
 * {@link AssertionError}; what cannot be understood, such as {@code "1 MBB"}, is an {@link
 * IllegalArgumentException}, also with soft assertions. Assertion objects are for one thread.
 */
@NullMarked
package io.heapsampler.assertj;

import org.jspecify.annotations.NullMarked;

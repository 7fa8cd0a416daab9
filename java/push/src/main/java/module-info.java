// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Pushes allocated and live figures to receivers of profiles at a regular interval.
 *
 * <p>The module alone sends nothing: an application starts a {@link
 * io.heapsampler.push.ProfilePush}.
 */
@NullMarked
module io.heapsampler.push {
    requires transitive io.heapsampler;
    requires transitive java.net.http;
    requires io.heapsampler.export;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports io.heapsampler.push;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import org.jspecify.annotations.NullMarked;

/**
 * Sends what was allocated and what is live to receivers of profiles, again and again.
 *
 * <p>Nothing is sent because this module is there: an application starts a {@link
 * io.heapsampler.push.ProfilePush}.
 */
@NullMarked
module io.heapsampler.push {
    requires transitive io.heapsampler;
    requires transitive java.net.http;
    requires io.heapsampler.export;
    requires static org.jspecify;

    exports io.heapsampler.push;
}

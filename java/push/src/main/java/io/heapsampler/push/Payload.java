// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits to be sent.
 *
 * @param encoding of the body, null for none
 */
record Payload(URI uri, String contentType, @Nullable String encoding, byte[] body) {}

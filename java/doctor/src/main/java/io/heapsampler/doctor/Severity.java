// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import io.heapsampler.ApiStatus;

/**
 * How bad a finding is.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public enum Severity {
    /** Worth knowing; nothing needs to be done. */
    INFO,
    /** Costs more than the service may, or will sooner or later. */
    WARNING,
    /** The application is about to fail, or stands still. */
    CRITICAL
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

/** How bad a finding is. */
public enum Severity {
    /** Worth knowing; nothing needs to be done. */
    INFO,
    /** Costs more than the service may, or will sooner or later. */
    WARNING,
    /** The application is about to fail, or stands still. */
    CRITICAL
}

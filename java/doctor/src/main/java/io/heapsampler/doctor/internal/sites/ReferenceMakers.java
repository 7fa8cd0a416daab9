// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

/** The former name of {@link SiteFigures#isReference}. */
public final class ReferenceMakers {
    private ReferenceMakers() {}

    public static boolean isReference(String className) {
        return SiteFigures.isReference(className);
    }
}

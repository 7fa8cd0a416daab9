// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

/** A class that each loader defines anew; it knows nothing but java.base. */
public final class Tiny {

    /** Something to hold. */
    public final int number = 331;
}

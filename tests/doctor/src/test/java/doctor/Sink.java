// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

/** Where garbage goes, so that the compiler cannot leave it out. */
final class Sink {

    @SuppressWarnings("NonFinalStaticField")
    static volatile Object last = "";

    private Sink() {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;

/**
 * Objects of which it is known how they are reachable: this one refers softly to its referent and
 * strongly to its content, which refers weakly to a third. The library finds that before it says
 * anything of other objects, so the name of the field is part of the contract. JVMTI numbers fields
 * from those of all interfaces on, hence an interface with constants.
 */
final class ReachProbe extends SoftReference<Object> implements Numbered {

    /** Read by the library. */
    @SuppressWarnings("unused")
    private final Object content;

    ReachProbe(Object softly, Object weakly) {
        super(softly);
        content = new WeakReference<>(weakly);
    }
}

/** Has fields. */
interface Numbered {

    int FIRST = 1;

    int SECOND = 2;
}

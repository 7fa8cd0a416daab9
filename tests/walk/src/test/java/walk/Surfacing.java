// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package walk;

/** Thrown at the bottom of a dive, caught on the way up. */
public final class Surfacing extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** The only one: without a stack it costs nothing. */
    public static final Surfacing INSTANCE = new Surfacing();

    private Surfacing() {
        super("surfacing", null, false, false);
    }
}

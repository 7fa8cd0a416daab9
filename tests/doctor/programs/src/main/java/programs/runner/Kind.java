// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs.runner;

/** What a program is. */
enum Kind {
    /** The heap fills until the program ends. */
    LEAK("leaks"),
    /** Another fault. */
    FAULTY("other faults"),
    /** No fault: any warning is false. */
    HEALTHY("healthy");

    private final String label;

    Kind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}

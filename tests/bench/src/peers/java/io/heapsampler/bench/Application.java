// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import java.util.Locale;

/** Real applications to sample. */
enum Application {
    /** A database: short-lived objects. */
    H2,
    /** A compiler: deep stacks that never repeat, objects of middle age. */
    JAVAC,
    /** An interpreter: boxed numbers, dictionaries. */
    JYTHON,
    /** A search engine: blocks that live until they are flushed. */
    LUCENE,
    /** A typesetter: trees that live for a while. */
    FOP,
    /** Transformations of XML: arrays of characters. */
    SAXON;

    Workload create() throws Exception {
        return switch (this) {
            case H2 -> new H2Work();
            case JAVAC -> new JavacWork();
            case JYTHON -> new JythonWork();
            case LUCENE -> new LuceneWork();
            case FOP -> new FopWork();
            case SAXON -> new SaxonWork();
        };
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Application of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }
}

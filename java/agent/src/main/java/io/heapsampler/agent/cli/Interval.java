// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.agent.Bytes;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An interval between two samples.
 *
 * @param bytes mean bytes
 */
record Interval(long bytes) {

    /** Reads {@code 64k} or {@code 65536}. */
    static final class Reader implements ITypeConverter<Interval> {

        @Override
        public Interval convert(String written) {
            try {
                return new Interval(Bytes.parse(written));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "'" + written + "' is no interval: write bytes, such as 65536 or 64k");
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.HeapSamplingUnavailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains why an application did not start whose own code calls {@code HeapSampler.start()} in a
 * JVM that cannot be sampled. The starter itself never ends a start for that reason.
 */
class HeapSamplingFailureAnalyzer
        extends AbstractFailureAnalyzer<HeapSamplingUnavailableException> {

    @Override
    protected FailureAnalysis analyze(
            Throwable rootFailure, HeapSamplingUnavailableException cause) {
        return new FailureAnalysis(
                "The heap of this JVM cannot be sampled (%s). %s"
                        .formatted(cause.reason(), cause.getMessage()),
                "Do as the message says. To start the application without samples, call"
                        + " HeapSampler.tryStart() in place of HeapSampler.start(), or leave the"
                        + " start to the Spring Boot starter of HeapSampler, which logs a warning.",
                cause);
    }
}

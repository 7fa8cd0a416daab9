// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.util.List;

/**
 * How a forked JVM ended, and what it printed.
 *
 * @param exitCode its exit code
 * @param output standard output and error
 */
record Outcome(int exitCode, String output) {

    /** Returns the values of all lines {@code key=value}, in order. */
    List<String> all(String key) {
        return output.lines()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .toList();
    }

    /** Returns the value of the only line {@code key=value}. */
    String value(String key) {
        assertThat(all(key)).as("%s in\n%s", key, this).hasSize(1);
        return all(key).get(0);
    }

    Outcome assertExit(int code) {
        assertThat(exitCode).as("exit code of\n%s", this).isEqualTo(code);
        return this;
    }

    /** One refusal, for this reason; returns its message. */
    String assertRefused(Reason reason) {
        assertExit(Probe.REFUSED);
        assertThat(value("reason")).as("reason in\n%s", this).isEqualTo(reason.name());
        assertThat(value("state")).isEqualTo("NEW");
        return value("message");
    }

    /** All went well and samples with right stacks were taken. */
    Outcome assertSampled() {
        assertExit(0);
        assertThat(Long.parseLong(value("sampled"))).as("sites in\n%s", this).isPositive();
        return this;
    }

    @Override
    public String toString() {
        return output + "\n(exit code " + exitCode + ")";
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Bytes;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Limits for all tests of a class, set by code; and parameters of types {@link
 * io.heapsampler.assertions.AllocationProbe} and {@link io.heapsampler.HeapRecording}, which the
 * annotations of this package give as well.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final HeapSamplerExtension HEAP =
 *         HeapSamplerExtension.builder().maxAllocation("1 MB").maxRetained("4 KB").build();
 * }</pre>
 *
 * <p>Safe for use by many threads. Annotations on tests hold beside it.
 */
public final class HeapSamplerExtension extends MeasuringExtension
        implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {

    private final List<Rule> rules;

    /** Creates an extension that only gives parameters; for {@code @ExtendWith}. */
    public HeapSamplerExtension() {
        this(List.of());
    }

    private HeapSamplerExtension(List<Rule> rules) {
        this.rules = rules;
    }

    /**
     * Returns a builder.
     *
     * @return a builder without limits
     */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Injection.take(context, this);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Injection.take(context, this);
    }

    @Override
    List<Rule> rules(TestCase test, ExtensionContext context) {
        return rules;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return Injection.supports(parameter) && Injection.taker(context) == this;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Injection.resolve(parameter, context);
    }

    /** Collects limits. Not safe for use by many threads. */
    public static final class Builder {

        private final List<Rule> rules = new ArrayList<>();
        private Scope scope = Scope.TEST;

        private Builder() {}

        /**
         * Sets whose allocations count in the limits that follow.
         *
         * @param threads default: {@link ThreadScope#TEST}. With {@link ThreadScope#ALL} nothing
         *     may run beside the tests: add {@code @Isolated}
         * @return this builder
         */
        public Builder threads(ThreadScope threads) {
            scope = new Scope(threads, List.of(), List.of(), List.of(), List.of());
            return this;
        }

        /**
         * Adds what {@link MaxAllocation} asserts.
         *
         * @param limit such as {@code "1 MB"}
         * @return this builder
         * @throws IllegalArgumentException if that is no amount
         */
        public Builder maxAllocation(String limit) {
            String name = "maxAllocation(\"" + limit + "\")";
            rules.add(new AllocationRule(name, scope, limit, Bytes.parse(limit), -1, -1, -1));
            return this;
        }

        /**
         * Adds what {@link NoAllocation} asserts.
         *
         * @return this builder
         */
        public Builder noAllocation() {
            rules.add(new AllocationRule("noAllocation()", scope, "0 B", 0, -1, -1, -1));
            return this;
        }

        /**
         * Adds what {@link MaxRetained} asserts.
         *
         * @param limit such as {@code "64 KB"}
         * @return this builder
         * @throws IllegalArgumentException if that is no amount
         */
        public Builder maxRetained(String limit) {
            rules.add(
                    new RetentionRule(
                            "maxRetained(\"" + limit + "\")",
                            scope,
                            limit,
                            Bytes.parse(limit),
                            -1,
                            -1,
                            -1,
                            Allowances.NONE));
            return this;
        }

        /**
         * Adds what {@link NoLeaks} asserts.
         *
         * @param iterations from 5 to 1000
         * @param perSite such as {@code "1 KB"}
         * @return this builder
         * @throws IllegalArgumentException if that is no amount, or the iterations out of range
         */
        public Builder noLeaks(int iterations, String perSite) {
            rules.add(
                    new LeakRule(
                            "noLeaks(" + iterations + ", \"" + perSite + "\")",
                            scope,
                            iterations,
                            -1,
                            Bytes.parse(perSite),
                            -1,
                            Allowances.NONE));
            return this;
        }

        /**
         * Returns the extension.
         *
         * @return an extension with the limits so far
         */
        public HeapSamplerExtension build() {
            return new HeapSamplerExtension(List.copyOf(rules));
        }
    }
}

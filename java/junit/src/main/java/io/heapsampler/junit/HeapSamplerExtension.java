// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Bytes;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.Repeats;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import io.heapsampler.junit.Annotations.BaselineLimit;
import io.heapsampler.junit.Annotations.Runs;
import io.heapsampler.junit.Ledger.Permission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Limits for all tests of a class, a baseline and permissions, set by code; and parameters of types
 * {@link io.heapsampler.assertions.AllocationProbe} and {@link io.heapsampler.HeapRecording}, which
 * the annotations of this package give as well.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final HeapSamplerExtension HEAP =
 *         HeapSamplerExtension.builder().maxAllocation("1 MB").maxRetained("4 KB").build();
 * }</pre>
 *
 * <p>Safe for use by many threads. Annotations on tests hold beside it, and so does the file of
 * suppressions.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSamplerExtension extends MeasuringExtension
        implements BeforeAllCallback, ParameterResolver {

    /** A limit, of any test. */
    private interface Limit {
        Rule of(TestCase test, Configuration configuration, Allowances allowed);
    }

    /** A limit, for the settings that the builder has when it is added. */
    private interface Factory {
        Rule of(Scope scope, Repeats runs, Allowances allowed);
    }

    private final List<Limit> limits;
    private final List<Permission> permissions;

    /** The first limit in which all threads count; empty if there is none. */
    private final String processWide;

    /** Creates an extension that only gives parameters; for {@code @ExtendWith}. */
    public HeapSamplerExtension() {
        this(List.of(), List.of(), "");
    }

    private HeapSamplerExtension(
            List<Limit> limits, List<Permission> permissions, String processWide) {
        this.limits = limits;
        this.permissions = permissions;
        this.processWide = processWide;
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
        Placement.requireJUnit();
        Injection.take(context, this);
    }

    @Override
    void requireValid(ExtensionContext context) {
        Placement.requireJUnit();
        Injection.take(context, this);
        if (!processWide.isEmpty()) {
            ProcessWideLocks.requireAlone(processWide, context);
        }
    }

    @Override
    List<Rule> rules(TestCase test, ExtensionContext context) {
        Configuration configuration = Configuration.of(context);
        Allowances allowed = Ledger.of(context).allowances(test, permissions);
        return limits.stream().map(limit -> limit.of(test, configuration, allowed)).toList();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return Injection.supports(parameter) && Injection.taker(context) == this;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Injection.resolve(parameter, context);
    }

    /** Collects limits and permissions. Not safe for use by many threads. */
    public static final class Builder {

        private static final String OWN_NAME = Builder.class.getName();

        private final List<Limit> limits = new ArrayList<>();
        private final List<Permission> permissions = new ArrayList<>();
        private final Map<String, Map<Scope, Rule>> byKind = new HashMap<>();
        private ThreadScope threads = ThreadScope.TEST;
        private Class<?>[] types = {};
        private String[] packages = {};
        private String[] exclude = {};
        private Runs runs = new Runs(-1, -1);
        private boolean hasBaseline;
        private String processWide = "";

        private Builder() {}

        /**
         * Sets whose allocations count in the limits that follow.
         *
         * @param scope default: {@link ThreadScope#TEST}. With {@link ThreadScope#ALL} nothing may
         *     run beside the tests, and JUnit takes no lock for limits that code sets: in parallel
         *     execution, a test without {@code @Isolated} on one of its classes,
         *     {@code @ResourceLock(Resources.GLOBAL)} or an annotation of this package with {@code
         *     ALL} is refused before it runs
         * @return this builder
         */
        public Builder threads(ThreadScope scope) {
            threads = scope;
            return this;
        }

        /**
         * Sets the classes of which objects count in the limits that follow.
         *
         * @param wanted the classes themselves; none for all
         * @return this builder
         */
        public Builder types(Class<?>... wanted) {
            types = wanted.clone();
            return this;
        }

        /**
         * Sets the packages of the classes of which objects count in the limits that follow.
         *
         * @param wanted with the packages below; none for all
         * @return this builder
         */
        public Builder packages(String... wanted) {
            packages = wanted.clone();
            return this;
        }

        /**
         * Sets what does not count in the limits that follow: objects of a class, and what a class
         * or method or its callees allocate.
         *
         * @param patterns such as {@code com.acme.Log}; none to count all
         * @return this builder
         * @throws IllegalArgumentException if one is no pattern
         */
        public Builder exclude(String... patterns) {
            exclude = patterns.clone();
            scope(); // or a wrong pattern would be refused at the next limit only
            return this;
        }

        private Scope scope() {
            return Annotations.scope(threads, types, packages, exclude);
        }

        /**
         * Sets how often a test is run before runs are judged, in the limits that follow.
         *
         * @param count 0 or more; -1, the default, for {@link AllocationTest#warmup} of the test,
         *     else 0, or 3 for {@link #noLeaks}
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder warmup(int count) {
            runs = new Runs(count, runs.minOf());
            return this;
        }

        /**
         * Sets how many runs are judged, of which the smallest counts, in the limits that follow;
         * those of leaks have no such number.
         *
         * @param count 1 or more; -1, the default, for {@link AllocationTest#minOf} of the test,
         *     else 1
         * @return this builder
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder minOf(int count) {
            runs = new Runs(runs.warmup(), count);
            return this;
        }

        /**
         * Adds what {@link MaxAllocation} asserts.
         *
         * @param limit such as {@code "1 MB"}
         * @return this builder
         * @throws IllegalArgumentException if that is no amount, or there is such a limit already
         */
        public Builder maxAllocation(String limit) {
            return allocation("maxAllocation(\"" + limit + "\")", limit, ByteSize.parse(limit));
        }

        /**
         * Adds what {@link MaxAllocation} asserts.
         *
         * @param bytes 0 or more
         * @return this builder
         * @throws IllegalArgumentException if it is negative, or there is such a limit already
         */
        public Builder maxAllocation(long bytes) {
            String name = "maxAllocation(" + bytes + ")";
            return allocation(name, bytes + " B", Bytes.checked(bytes));
        }

        /**
         * Adds what {@link NoAllocation} asserts.
         *
         * @return this builder
         * @throws IllegalArgumentException if there is a limit of allocated bytes already
         */
        public Builder noAllocation() {
            return allocation("noAllocation()", "0 B", 0);
        }

        private Builder allocation(String name, String limit, long bytes) {
            return add(
                    "allocations",
                    Repeats.NONE,
                    (scope, often, allowed) ->
                            new AllocationRule(
                                    name, scope, limit, bytes, often.warmup(), often.judged(), -1));
        }

        /**
         * Adds what {@link MaxRetained} asserts.
         *
         * @param limit such as {@code "64 KB"}
         * @return this builder
         * @throws IllegalArgumentException if that is no amount, or there is such a limit already
         */
        public Builder maxRetained(String limit) {
            return survivors("maxRetained(\"" + limit + "\")", limit, ByteSize.parse(limit));
        }

        /**
         * Adds what {@link MaxRetained} asserts.
         *
         * @param bytes 0 or more
         * @return this builder
         * @throws IllegalArgumentException if it is negative, or there is such a limit already
         */
        public Builder maxRetained(long bytes) {
            return survivors("maxRetained(" + bytes + ")", bytes + " B", Bytes.checked(bytes));
        }

        private Builder survivors(String name, String limit, long bytes) {
            return add(
                    "objects",
                    Repeats.NONE,
                    (scope, often, allowed) ->
                            new RetentionRule(
                                    name,
                                    scope,
                                    limit,
                                    bytes,
                                    often.warmup(),
                                    often.judged(),
                                    -1,
                                    allowed));
        }

        /**
         * Adds what {@link NoLeaks} asserts.
         *
         * @param iterations from 5 to 1000
         * @param perSite such as {@code "1 KB"}
         * @return this builder
         * @throws IllegalArgumentException if that is no amount, or the iterations out of range, or
         *     there is such a limit already
         */
        public Builder noLeaks(int iterations, String perSite) {
            String name = "noLeaks(" + iterations + ", \"" + perSite + "\")";
            return leaks(name, iterations, ByteSize.parse(perSite));
        }

        /**
         * Adds what {@link NoLeaks} asserts.
         *
         * @param iterations from 5 to 1000
         * @param bytesPerSite 0 or more
         * @return this builder
         * @throws IllegalArgumentException if a number is out of range, or there is such a limit
         *     already
         */
        public Builder noLeaks(int iterations, long bytesPerSite) {
            String name = "noLeaks(" + iterations + ", " + bytesPerSite + ")";
            return leaks(name, iterations, Bytes.checked(bytesPerSite));
        }

        private Builder leaks(String name, int iterations, long bytes) {
            return add(
                    "leaks",
                    LeakRule.REPEATS,
                    (scope, often, allowed) ->
                            new LeakRule(name, scope, iterations, often.warmup(), bytes, allowed));
        }

        /**
         * Adds what {@link AllocationBaseline} asserts: the same as {@link #baseline(String,
         * String)} with the file of each class and the configured tolerance.
         *
         * @return this builder
         * @throws IllegalArgumentException if types, packages, threads or exclusions are set, or
         *     there is a baseline already
         */
        public Builder baseline() {
            return baseline(new BaselineLimit("baseline()", "", "", runs));
        }

        /**
         * Adds what {@link AllocationBaseline} asserts: each test has an entry of its own in the
         * file, which {@code -Dheapsampler.junit.update=true} writes. A test without one is a
         * configuration error, before it runs. All bytes that the test's thread allocates are
         * compared; of the settings before, only {@link #warmup} and {@link #minOf} hold.
         *
         * @param file relative to the directory in which tests run; empty for {@code <class>.txt}
         *     in {@code heapsampler.junit.baseline.directory}, else {@code src/test/heapsampler}
         * @param tolerance how much more is accepted, a percentage or an amount, such as {@code "5
         *     %"}; empty for {@code heapsampler.junit.tolerance} in {@code
         *     junit-platform.properties}, else {@code "10 %"}
         * @return this builder
         * @throws IllegalArgumentException if that is no tolerance, if types, packages, threads or
         *     exclusions are set, or there is a baseline already
         */
        public Builder baseline(String file, String tolerance) {
            String name = "baseline(\"" + file + "\", \"" + tolerance + "\")";
            return baseline(new BaselineLimit(name, file, tolerance, runs));
        }

        private Builder baseline(BaselineLimit baseline) {
            if (hasBaseline) {
                throw new IllegalArgumentException(
                        """
                        %s is a second baseline, and a test is compared with one entry. Keep one.\
                        """
                                .formatted(baseline.name()));
            }
            if (!scope().equals(Scope.TEST)) {
                throw new IllegalArgumentException(
                        """
                        %s compares all that the test's thread allocates: threads, types, packages \
                        and exclude do not hold for it. Write it before them.\
                        """
                                .formatted(baseline.name()));
            }
            hasBaseline = true;
            limits.add((test, configuration, allowed) -> baseline.rule(test, configuration));
            return this;
        }

        /**
         * Adds what {@link AllowedLeak} says: what {@link #maxRetained} and {@link #noLeaks} of
         * this builder let stay alive, those before and those that follow. Limits of annotations
         * have {@link AllowedLeak} itself. A permission that was never needed is logged at the end
         * of the run.
         *
         * @param reason why this is no leak; not blank
         * @param frames patterns of a class or method, such as {@code com.acme.Money.parse}, of
         *     which one must match the class of the object or a frame; one at least
         * @return this builder
         * @throws IllegalArgumentException if there is no reason or no frame, or one is no pattern
         */
        public Builder allowedLeak(String reason, String... frames) {
            permissions.add(Permission.of("allowedLeak", caller(), reason, frames));
            return this;
        }

        /** Where this builder is called from; reports name it. */
        private static String caller() {
            return StackWalker.getInstance()
                    .walk(
                            frames ->
                                    frames.filter(f -> !f.getClassName().equals(OWN_NAME))
                                            .map(f -> "allowedLeak at " + f.toStackTraceElement())
                                            .findFirst())
                    .orElse("allowedLeak");
        }

        /** Adds a limit, or refuses it as a test would. */
        private Builder add(String kind, Repeats byDefault, Factory factory) {
            Scope scope = scope();
            Runs wanted = runs;
            Rule checked = factory.of(scope, wanted.or(byDefault), Allowances.NONE);
            Annotations.add(byKind.computeIfAbsent(kind, key -> new HashMap<>()), checked, kind);
            if (scope.threads() == ThreadScope.ALL && processWide.isEmpty()) {
                processWide = checked.name();
            }
            limits.add(
                    (test, configuration, allowed) ->
                            factory.of(
                                    scope, wanted.or(test.repeats().orElse(byDefault)), allowed));
            return this;
        }

        /**
         * Returns the extension.
         *
         * @return an extension with the limits and permissions so far
         */
        @CheckReturnValue
        public HeapSamplerExtension build() {
            return new HeapSamplerExtension(
                    List.copyOf(limits), List.copyOf(permissions), processWide);
        }
    }
}

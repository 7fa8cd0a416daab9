// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Bytes;
import io.heapsampler.assertions.internal.Pattern;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import io.heapsampler.junit.Ledger.Permission;
import io.heapsampler.junit.Limits.Runs;
import java.util.ArrayList;
import java.util.List;
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

    private final Limits limits;
    private final List<Permission> permissions;

    /** Creates an extension that only gives parameters; for {@code @ExtendWith}. */
    public HeapSamplerExtension() {
        this(new Limits(), List.of());
    }

    private HeapSamplerExtension(Limits limits, List<Permission> permissions) {
        this.limits = limits;
        this.permissions = permissions;
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
        if (!limits.processWide().isEmpty()) {
            ProcessWideLocks.requireAlone(limits.processWide(), context);
        }
    }

    @Override
    List<Rule> rules(TestCase test, ExtensionContext context) {
        Allowances allowed = Ledger.of(context).allowances(test, permissions);
        return limits.rules(test, Configuration.of(context), allowed);
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

        private final Limits limits = new Limits();
        private final List<Permission> permissions = new ArrayList<>();
        private ThreadScope threads = ThreadScope.TEST;
        private Class<?>[] types = {};
        private String[] packages = {};
        private String[] exclude = {};
        private Runs runs = Runs.DEFAULT;

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

        /** As {@link #maxAllocation(String)}, with a number of bytes, 0 or more. */
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
            limits.allocation(name, scope(), runs, limit, bytes, -1);
            return this;
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

        /** As {@link #maxRetained(String)}, with a number of bytes, 0 or more. */
        public Builder maxRetained(long bytes) {
            return survivors("maxRetained(" + bytes + ")", bytes + " B", Bytes.checked(bytes));
        }

        private Builder survivors(String name, String limit, long bytes) {
            limits.survivors(name, scope(), runs, limit, bytes, -1);
            return this;
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

        /** As {@link #noLeaks(int, String)}, with a number of bytes, 0 or more. */
        public Builder noLeaks(int iterations, long bytesPerSite) {
            String name = "noLeaks(" + iterations + ", " + bytesPerSite + ")";
            return leaks(name, iterations, Bytes.checked(bytesPerSite));
        }

        private Builder leaks(String name, int iterations, long bytes) {
            limits.leaks(name, scope(), runs.warmup(), iterations, bytes);
            return this;
        }

        /**
         * Adds what {@link NoLeaks#classLoaders} asserts. Nothing may run beside the tests, as with
         * {@link ThreadScope#ALL}; of the settings before, {@link #exclude} and {@link #warmup}
         * hold.
         *
         * @param iterations from 5 to 1000
         * @return this builder
         * @throws IllegalArgumentException if the iterations are out of range, or there is such a
         *     limit already
         */
        public Builder noClassLoadersLeft(int iterations) {
            String name = "noClassLoadersLeft(" + iterations + ")";
            limits.loaders(name, Pattern.all(exclude), runs.warmup(), iterations);
            return this;
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
            return compared("baseline()", "", "");
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
            return compared(name, file, tolerance);
        }

        private Builder compared(String name, String file, String tolerance) {
            if (!scope().equals(Scope.TEST)) {
                throw new IllegalArgumentException(
                        """
                        %s compares all that the test's thread allocates: threads, types, packages \
                        and exclude do not hold for it. Write it before them.\
                        """
                                .formatted(name));
            }
            limits.baseline(name, runs, file, tolerance);
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

        /**
         * Returns the extension.
         *
         * @return an extension with the limits and permissions so far
         */
        @CheckReturnValue
        public HeapSamplerExtension build() {
            return new HeapSamplerExtension(new Limits(limits), List.copyOf(permissions));
        }
    }
}

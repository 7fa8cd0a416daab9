// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ByteSize;
import io.heapsampler.assertions.internal.AllocationRule;
import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Allowances.Allowance;
import io.heapsampler.assertions.internal.Bytes;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.LoaderRule;
import io.heapsampler.assertions.internal.OwnCode;
import io.heapsampler.assertions.internal.Pattern;
import io.heapsampler.assertions.internal.RetentionRule;
import io.heapsampler.assertions.internal.Rule;
import io.heapsampler.assertions.internal.Scope;
import io.heapsampler.assertions.internal.Settings;
import io.heapsampler.assertions.internal.Subject;
import io.heapsampler.assertions.internal.Trials;
import io.heapsampler.assertions.internal.Verdict;
import io.heapsampler.internal.shared.OpenChains.Chain;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * An assertion about the allocations of some code: first which of them count, then their limit.
 * Each of {@link #allocatesNothing()}, {@link #allocatesAtMost(String)}, {@link
 * #leavesBehindAtMost(String)}, {@link #leaksAtMost(String)} and {@link #doesNotLeak()} runs the
 * code; without one of them nothing is asserted. Error Prone and SpotBugs report that, and a test
 * with an annotation of {@code io.heapsampler.junit} or a {@code HeapSamplerExtension} fails for
 * it.
 *
 * <pre>{@code
 * assertAllocations(() -> cart.add(item))
 *         .inPackage("com.acme")
 *         .excluding("com.acme.Log")
 *         .allocatesAtMost("4 KB");
 * }</pre>
 *
 * <p><b>Exact and estimated.</b> Bytes of a whole thread are the JVM's own count and exact. As soon
 * as types, packages, sites or exclusions narrow them, they are estimated from samples, with an
 * interval that is chosen from the limit; where an estimate cannot decide, every allocation is
 * recorded.
 *
 * <p><b>Repetition.</b> The first run alone is judged, unless {@link #warmup(int)} or {@link
 * #minOf(int)} request more. All runs use the same objects that the code has captured.
 *
 * <p>A failure is an {@link org.opentest4j.AssertionFailedError} that names the sites; an exception
 * of the code in its first run is thrown unchanged. Not safe for use by many threads at once; many
 * threads may have one each.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class AllocationAssert {

    private final ThrowingRunnable code;
    private final Chain chain;
    private String name = Subject.UNNAMED;
    private ThreadScope threads = ThreadScope.TEST;
    private final List<String> types = new ArrayList<>();
    private final List<String> packages = new ArrayList<>();
    private final List<Pattern> sites = new ArrayList<>();
    private final List<Pattern> exclude = new ArrayList<>();
    private final List<Allowance> allowed = new ArrayList<>();
    private int warmup;
    private int minOf = 1;
    private int iterations = LeakRule.ITERATIONS;
    private Settings settings = Settings.DEFAULT;

    AllocationAssert(ThrowingRunnable code, Chain chain) {
        this.code = code;
        this.chain = chain;
    }

    /** An argument that is refused ends the chain: its author has seen that. */
    private <T> T checked(Supplier<T> argument) {
        try {
            return argument.get();
        } catch (RuntimeException e) {
            chain.judged();
            throw e;
        }
    }

    private <T> T required(T argument, String name) {
        return checked(() -> Objects.requireNonNull(argument, name));
    }

    /**
     * Sets what messages call the code.
     *
     * @param name such as {@code "parsing"}; default: {@code "The code"}
     * @return this assertion
     */
    @CheckReturnValue
    public AllocationAssert as(String name) {
        this.name = required(name, "name");
        return this;
    }

    /**
     * Sets whose allocations count.
     *
     * <p>With {@link ThreadScope#ALL}, allocations of other threads meanwhile also count, and this
     * assertion cannot know whether something runs beside it: keep other tests away, under JUnit
     * Jupiter with {@code @Isolated}.
     *
     * @param scope default: {@link ThreadScope#TEST}, the calling thread
     * @return this assertion
     */
    @CheckReturnValue
    public AllocationAssert threads(ThreadScope scope) {
        this.threads = required(scope, "scope");
        return this;
    }

    /**
     * Lets only objects of a class count, or of several if called again.
     *
     * @param type the class itself, not those below it
     * @return this assertion
     */
    @CheckReturnValue
    public AllocationAssert ofType(Class<?> type) {
        types.add(type.getTypeName());
        return this;
    }

    /**
     * Lets only objects count whose class is in a package or one below, or in several if called
     * again.
     *
     * @param packageName such as {@code com.acme}
     * @return this assertion
     */
    @CheckReturnValue
    public AllocationAssert inPackage(String packageName) {
        packages.add(required(packageName, "packageName"));
        return this;
    }

    /**
     * Lets only objects count that were allocated by a class or method, or by its callees.
     *
     * @param pattern such as {@code com.acme.Cart} or {@code com.acme.Cart.add}; a star stands for
     *     any characters
     * @return this assertion
     * @throws IllegalArgumentException if that is no pattern
     */
    @CheckReturnValue
    public AllocationAssert at(String pattern) {
        sites.add(checked(() -> new Pattern(pattern)));
        return this;
    }

    /**
     * Leaves out objects of a class, and what a class or method or its callees allocate.
     *
     * @param pattern as for {@link #at}
     * @return this assertion
     * @throws IllegalArgumentException if that is no pattern
     */
    @CheckReturnValue
    public AllocationAssert excluding(String pattern) {
        exclude.add(checked(() -> new Pattern(pattern)));
        return this;
    }

    /**
     * Lets objects stay alive that a class or method allocates; for {@link
     * #leavesBehindAtMost(String)}, {@link #leaksAtMost(String)} and {@link #doesNotLeak()}.
     *
     * @param reason why that is no leak
     * @param patterns as for {@link #at}
     * @return this assertion
     * @throws IllegalArgumentException if there is no reason, or one is no pattern
     */
    @CheckReturnValue
    public AllocationAssert allowing(String reason, String... patterns) {
        allowed.add(checked(() -> allowance(reason, patterns)));
        return this;
    }

    private static Allowance allowance(String reason, String... patterns) {
        if (reason.isBlank()) {
            throw new IllegalArgumentException("allowing needs a reason: why is this no leak?");
        }
        return new Allowance("allowing", reason, Pattern.all(patterns));
    }

    /**
     * Sets how often the code is run before runs are judged.
     *
     * @param runs 0 or more; default: 0, or 3 for {@link #leaksAtMost(String)} and {@link
     *     #doesNotLeak()}, which need one at least
     * @return this assertion
     * @throws IllegalArgumentException if it is negative
     */
    @CheckReturnValue
    public AllocationAssert warmup(int runs) {
        warmup = checked(() -> least("warmup", runs, 0));
        return this;
    }

    /**
     * Sets how many runs are judged, of which the smallest counts.
     *
     * @param runs 1 or more; default: 1, the first run alone
     * @return this assertion
     * @throws IllegalArgumentException if it is less than 1
     */
    @CheckReturnValue
    public AllocationAssert minOf(int runs) {
        minOf = checked(() -> least("minOf", runs, 1));
        return this;
    }

    /**
     * Sets the number of runs between the first two looks for leaks, for {@link
     * #leaksAtMost(String)} and {@link #doesNotLeak()}.
     *
     * @param runs from 5 to 1000; default: 20, as for {@code @NoLeaks}
     * @return this assertion
     * @throws IllegalArgumentException if it is out of range
     */
    @CheckReturnValue
    public AllocationAssert iterations(int runs) {
        iterations = checked(() -> LeakRule.checkedIterations(runs));
        return this;
    }

    private static int least(String name, int runs, int least) {
        if (runs < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, but is " + runs + ".");
        }
        return runs;
    }

    /**
     * Sets the interval between two samples. Only needed where the one chosen from the limit is too
     * slow or too coarse.
     *
     * @param amount such as {@code "16 KB"}; {@code "0 B"} records every allocation
     * @return this assertion
     * @throws IllegalArgumentException if that is no amount
     */
    @CheckReturnValue
    public AllocationAssert interval(String amount) {
        settings = settings.with((long) checked(() -> ByteSize.parse(amount)));
        return this;
    }

    /**
     * Sets the interval between two samples, see {@link #interval(String)}.
     *
     * @param bytes 0 or more; 0 records every allocation
     * @return this assertion
     * @throws IllegalArgumentException if it is negative
     */
    @CheckReturnValue
    public AllocationAssert interval(long bytes) {
        settings = settings.with((long) checked(() -> Bytes.checked(bytes)));
        return this;
    }

    /**
     * Sets which code is your own: a failure names the first frame of it in each stack. Default:
     * what belongs neither to the JDK nor to a well-known library, such as Spring or Mockito.
     *
     * @param patterns packages or classes, such as {@code com.acme}; a star stands for any
     *     characters
     * @return this assertion
     * @throws IllegalArgumentException if one is no pattern
     */
    @CheckReturnValue
    public AllocationAssert ownCode(String... patterns) {
        settings = settings.with(checked(() -> new OwnCode(Pattern.all(patterns))));
        return this;
    }

    /**
     * Sets whether a failure of {@link #leavesBehindAtMost(String)} or {@link #doesNotLeak()} shows
     * which references hold the objects. It searches for two seconds at most, and only after a
     * failure.
     *
     * @param isShown default: true
     * @return this assertion
     */
    @CheckReturnValue
    public AllocationAssert holders(boolean isShown) {
        settings = settings.withHolders(isShown);
        return this;
    }

    /**
     * Sets what becomes of this assertion if it cannot be measured.
     *
     * @param policy default: {@link WhenNotMeasured#FAIL}
     * @return this assertion
     */
    @CheckReturnValue
    public AllocationAssert whenNotMeasured(WhenNotMeasured policy) {
        settings = settings.with(required(policy, "policy"));
        return this;
    }

    /**
     * Asserts that a run of the code allocates no more than a limit.
     *
     * @param limit such as {@code "64 KB"}
     * @return this assertion
     * @throws IllegalArgumentException if the limit cannot be understood or measured
     */
    public AllocationAssert allocatesAtMost(String limit) {
        chain.judged();
        return allocates("allocatesAtMost(\"" + limit + "\")", limit, ByteSize.parse(limit));
    }

    /**
     * Asserts that a run of the code allocates no more than a limit.
     *
     * @param bytes 0 or more
     * @return this assertion
     * @throws IllegalArgumentException if the limit is negative or cannot be measured
     */
    public AllocationAssert allocatesAtMost(long bytes) {
        chain.judged();
        return allocates("allocatesAtMost(" + bytes + ")", bytes + " B", Bytes.checked(bytes));
    }

    /**
     * Asserts that a run of the code allocates nothing: not a byte.
     *
     * @return this assertion
     */
    public AllocationAssert allocatesNothing() {
        chain.judged();
        return allocates("allocatesNothing()", "0 B", 0);
    }

    private AllocationAssert allocates(String rule, String limit, long bytes) {
        return check(
                new AllocationRule(
                        rule, scope(), limit, bytes, warmup, minOf, settings.interval()));
    }

    /**
     * Asserts that a run of the code leaves no more alive than a limit, after a forced collection.
     *
     * @param limit such as {@code "1 KB"}
     * @return this assertion
     * @throws IllegalArgumentException if the limit cannot be understood or measured
     */
    public AllocationAssert leavesBehindAtMost(String limit) {
        chain.judged();
        return leavesBehind("leavesBehindAtMost(\"" + limit + "\")", limit, ByteSize.parse(limit));
    }

    /**
     * Asserts that a run of the code leaves no more alive than a limit, after a forced collection.
     *
     * @param bytes 0 or more
     * @return this assertion
     * @throws IllegalArgumentException if the limit is negative or cannot be measured
     */
    public AllocationAssert leavesBehindAtMost(long bytes) {
        chain.judged();
        return leavesBehind(
                "leavesBehindAtMost(" + bytes + ")", bytes + " B", Bytes.checked(bytes));
    }

    private AllocationAssert leavesBehind(String rule, String limit, long bytes) {
        return check(
                new RetentionRule(
                        rule,
                        scope(),
                        limit,
                        bytes,
                        warmup,
                        minOf,
                        settings.interval(),
                        new Allowances(allowed)));
    }

    /**
     * Asserts that no site keeps more and more alive from run to run. The code is run as often as
     * {@code @NoLeaks} of {@code io.heapsampler.junit} runs a test, whose documentation says what
     * is a leak and what cannot be found. {@link #iterations(int)} sets another number of runs.
     *
     * @return this assertion
     * @throws IllegalArgumentException if this cannot be measured
     */
    public AllocationAssert doesNotLeak() {
        chain.judged();
        return leaks("doesNotLeak()", LeakRule.PER_SITE);
    }

    /**
     * Asserts that no site keeps more than a limit alive in addition from run to run, see {@link
     * #doesNotLeak()}.
     *
     * @param perSite bytes more that each run may leave alive at one site, such as {@code "1 KB"}
     * @return this assertion
     * @throws IllegalArgumentException if the limit cannot be understood or measured
     */
    public AllocationAssert leaksAtMost(String perSite) {
        chain.judged();
        return leaks("leaksAtMost(\"" + perSite + "\")", ByteSize.parse(perSite));
    }

    /**
     * Asserts that no site keeps more than a limit alive in addition from run to run, see {@link
     * #doesNotLeak()}.
     *
     * @param bytesPerSite bytes more that each run may leave alive at one site, 0 or more
     * @return this assertion
     * @throws IllegalArgumentException if the limit is negative or cannot be measured
     */
    public AllocationAssert leaksAtMost(long bytesPerSite) {
        chain.judged();
        return leaks("leaksAtMost(" + bytesPerSite + ")", Bytes.checked(bytesPerSite));
    }

    private AllocationAssert leaks(String rule, long perSite) {
        return check(
                new LeakRule(
                        rule,
                        scope(),
                        iterations,
                        warmupOfLeaks(),
                        perSite,
                        new Allowances(allowed)));
    }

    private int warmupOfLeaks() {
        return warmup == 0 ? LeakRule.REPEATS.warmup() : warmup;
    }

    /**
     * Asserts that no class loader stays, as {@code @NoLeaks(classLoaders = true)} of {@code
     * io.heapsampler.junit} does, whose documentation says which of them are leaks. All class
     * loaders of the JVM count, so let nothing else run meanwhile. Of the settings before, {@link
     * #excluding} and {@link #allowing}, by the class of the loader, {@link #warmup} and {@link
     * #iterations} hold.
     *
     * @return this assertion
     */
    public AllocationAssert leavesNoClassLoader() {
        chain.judged();
        return check(
                new LoaderRule(
                        "leavesNoClassLoader()",
                        iterations,
                        warmupOfLeaks(),
                        exclude,
                        new Allowances(allowed)));
    }

    private Scope scope() {
        return new Scope(
                threads,
                List.copyOf(types),
                List.copyOf(packages),
                List.copyOf(sites),
                List.copyOf(exclude));
    }

    private AllocationAssert check(Rule rule) {
        try {
            Subject subject = new Subject(name, code, code, () -> {}, () -> {});
            Verdict verdict = Trials.check(List.of(rule), subject, settings, () -> true).get(0);
            Throwable error = verdict.error();
            if (error != null) {
                throw error;
            }
            return this;
        } catch (Throwable e) {
            throw AllocationAssertions.unchecked(e);
        }
    }
}

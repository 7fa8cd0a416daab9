// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.Estimate;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.assertj.Reading.Limit;
import io.heapsampler.assertj.Reading.Spacing;
import io.heapsampler.internal.shared.HoldersText;
import io.heapsampler.internal.shared.OpenChains;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assumptions;
import org.assertj.core.api.ListAssert;
import org.assertj.core.api.SoftAssertionsProvider;
import org.jspecify.annotations.Nullable;

/**
 * The base of all assertions of this package: limits with three outcomes, and navigation that keeps
 * description, representation, choice and softness. Not for extension.
 *
 * @param <SELF> the type of the assertion
 * @param <ACTUAL> the type that it asserts on
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
public abstract class AbstractHeapAssert<SELF extends AbstractHeapAssert<SELF, ACTUAL>, ACTUAL>
        extends AbstractChainAssert<SELF, ACTUAL> {

    private static final String PACKAGE = AbstractHeapAssert.class.getPackageName() + ".";

    /**
     * What an assertion hands on to those it navigates to.
     *
     * @param snapshot the origin of the figures; null if it is not known
     * @param spacing how far samples are apart
     * @param undecided the outcome where the samples allow no verdict
     * @param softly collects errors; null if they are thrown
     * @param isReported whether it has been collected that there is nothing to assert on
     * @param holders whether a failure shows which references hold live objects
     */
    record Scope(
            @Nullable HeapSnapshot snapshot,
            Spacing spacing,
            Undecided undecided,
            @Nullable SoftAssertionsProvider softly,
            boolean isReported,
            boolean holders) {

        static final Scope NONE =
                new Scope(null, Spacing.UNKNOWN, Undecided.FAILS, null, false, true);

        static Scope of(@Nullable HeapSnapshot snapshot) {
            return snapshot == null ? NONE : NONE.of(snapshot, Spacing.of(snapshot));
        }

        private Scope of(@Nullable HeapSnapshot origin, Spacing known) {
            return new Scope(origin, known, undecided, softly, isReported, holders);
        }

        Scope with(Undecided choice) {
            return new Scope(snapshot, spacing, choice, softly, isReported, holders);
        }

        Scope with(SoftAssertionsProvider provider) {
            return new Scope(snapshot, spacing, undecided, provider, isReported, holders);
        }

        Scope with(Spacing known) {
            return of(snapshot, known);
        }

        Scope withHolders(boolean isShown) {
            return new Scope(snapshot, spacing, undecided, softly, isReported, isShown);
        }

        Scope reported() {
            return new Scope(snapshot, spacing, undecided, softly, true, holders);
        }
    }

    private Scope scope;

    /** Whether an assertion has ended the chain, which navigation does not. */
    private boolean hasEnded;

    AbstractHeapAssert(@Nullable ACTUAL actual, Class<?> selfType, Scope scope) {
        super(actual, selfType);
        this.scope = scope;
    }

    /**
     * Chooses what happens where the samples do not allow a verdict. Holds for the assertions that
     * follow, and for those that are navigated to.
     *
     * @param choice {@link Undecided#FAILS} by default
     * @return this
     */
    @CheckReturnValue
    public SELF whenUndecided(Undecided choice) {
        scope = scope.with(Objects.requireNonNull(choice, "choice"));
        return myself;
    }

    /**
     * Chooses whether a failure about live objects ends with the references that hold them. They
     * are searched after the failure, for two seconds at most, if the snapshot was taken in this
     * process. Holds for the assertions that follow, and for those that are navigated to.
     *
     * @param isShown true by default
     * @return this
     */
    @CheckReturnValue
    public SELF holders(boolean isShown) {
        scope = scope.withHolders(isShown);
        return myself;
    }

    Scope scope() {
        return scope;
    }

    SELF in(Scope other) {
        scope = other;
        return myself;
    }

    /** Begins a chain; if it belongs to a test and asserts nothing, that test fails. */
    SELF begin() {
        return inChain(OpenChains.begin("an assertion, such as allocatesAtMost"));
    }

    /** Begins a chain of soft assertions. */
    @SuppressWarnings("NullAway") // null is reported by the assertion
    static <A extends AbstractHeapAssert<A, T>, T> A soft(
            SoftAssertionsProvider softly, Class<A> type, Class<T> actualType, @Nullable T actual) {
        A assertion = softly.proxy(type, actualType, actual);
        return assertion.in(assertion.scope().with(softly)).begin();
    }

    /** False if it has been reported that there is nothing to assert on; fails if there is not. */
    boolean isThere() {
        hasEnded |= chain().judged();
        if (scope.isReported()) {
            return false;
        }
        isNotNull();
        return true;
    }

    /** Navigates: the new assertion is as soft as this one, and described after it. */
    <A extends AbstractHeapAssert<A, T>, T> A to(
            Class<A> type,
            Class<T> actualType,
            @Nullable T target,
            Function<T, A> maker,
            String what) {
        SoftAssertionsProvider softly = scope.softly();
        @SuppressWarnings("NullAway") // as everywhere in AssertJ, null is reported by the assertion
        A next = softly == null ? maker.apply(target) : softly.proxy(type, actualType, target);
        if (hasEnded) {
            hasEnded = false;
            chain().reopen();
        }
        return described(next.in(scope).inChain(chain()), what);
    }

    /** Navigates to a figure; null if there is nothing to assert on. */
    EstimateAssert toEstimate(@Nullable Reading reading, String what) {
        Estimate sure = reading == null ? null : reading.sure();
        return to(EstimateAssert.class, Estimate.class, sure, EstimateAssert::new, what)
                .reading(reading);
    }

    /** Navigates to a list. */
    @SuppressWarnings("unchecked")
    <T> ListAssert<T> toList(List<? extends T> list, String what) {
        SoftAssertionsProvider softly = scope.softly();
        ListAssert<T> next =
                softly == null
                        ? new ListAssert<T>(list)
                        : softly.proxy(ListAssert.class, List.class, list);
        return described(next, what);
    }

    <A extends AbstractAssert<?, ?>> A described(A next, String what) {
        String before = descriptionText();
        next.as("%s", before.isEmpty() ? what : before + ", " + what);
        next.info.useRepresentation(info.representation());
        return next;
    }

    /**
     * Returns the last lines of a failure about live objects: what holds those of the first sites.
     *
     * @param sites those that the message shows first, and perhaps more
     */
    String holders(@Nullable HeapSnapshot snapshot, List<HeapSite> sites) {
        if (!scope.holders() || snapshot == null) {
            return "";
        }
        List<HeapSite> shown = sites.stream().limit(Top.MOST_SITES).toList();
        String lines = HoldersText.of(snapshot, shown, shown.size());
        return lines.isEmpty() ? "" : "\n" + lines;
    }

    /** Throws unless the figure keeps to the limit. */
    SELF verify(Reading reading, Limit limit, String subject, Top top) {
        return verify(reading, limit, subject, top, List.of());
    }

    /** The same; if it is beyond the limit, the message shows what holds the objects of sites. */
    SELF verify(Reading reading, Limit limit, String subject, Top top, List<HeapSite> alive) {
        Reading.Verdict verdict = reading.against(limit);
        if (verdict == Reading.Verdict.BROKEN) {
            throw refuted(
                    reading,
                    limit,
                    Texts.broken(reading, limit, subject, top.text(info.representation()))
                            + (limit.isMost() ? holders(scope.snapshot(), alive) : ""));
        }
        if (verdict == Reading.Verdict.UNDECIDED && scope.undecided() != Undecided.PASSES) {
            String text = Texts.undecided(reading, limit, subject, top.text(info.representation()));
            abortIfChosen(text);
            throw refuted(reading, limit, text);
        }
        return myself;
    }

    /** Throws where there is a complaint. */
    SELF unless(String complaint) {
        if (complaint.isEmpty()) {
            return myself;
        }
        throw failed(complaint);
    }

    /** Throws, by choice, unless nothing would be needed for a verdict that no site grows. */
    SELF undecided(List<String> needed) {
        if (!needed.isEmpty() && scope.undecided() != Undecided.PASSES) {
            String text =
                    "Growth of sites undecided: none is seen to grow, but that needs %s."
                            .formatted(String.join("; and ", needed));
            abortIfChosen(text);
            throw failed(text);
        }
        return myself;
    }

    private void abortIfChosen(String text) {
        if (scope.undecided() == Undecided.ABORTS) {
            Assumptions.assumeThat(false)
                    .as(info.description())
                    .overridingErrorMessage(() -> text)
                    .isTrue();
        }
    }

    private AssertionError refuted(Reading reading, Limit limit, String text) {
        return failureWithActualExpected(
                Texts.actual(reading), limit.text(reading.measure()), "%s", text);
    }

    /** Throws, with a text in which nothing is a format. */
    AssertionError failed(String text) {
        return failure("%s", text);
    }

    /**
     * Throws, or collects it; then assertions that are navigated to have nothing to assert on and
     * stay silent.
     *
     * @return the scope of the assertions that are navigated to
     */
    Scope missing(String text) {
        SoftAssertionsProvider softly = scope.softly();
        if (softly == null) {
            throw failed(text);
        }
        softly.collectAssertionError(failed(text));
        return scope.reported();
    }

    HeapSnapshot snapshot() {
        HeapSnapshot snapshot = scope.snapshot();
        if (snapshot == null) {
            throw new IllegalStateException(
                    "This assertion was not reached from a snapshot. Begin with"
                            + " assertThat(snapshot).");
        }
        return snapshot;
    }

    @Override
    protected boolean isElementOfCustomAssert(StackTraceElement element) {
        return super.isElementOfCustomAssert(element)
                || element.getClassName().startsWith(PACKAGE + "Abstract");
    }
}

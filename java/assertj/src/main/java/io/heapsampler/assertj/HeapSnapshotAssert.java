// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.ClassTotals;
import io.heapsampler.DropCause;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.Note;
import io.heapsampler.ThreadTotals;
import io.heapsampler.assertj.Places.SiteFilter;
import io.heapsampler.assertj.Reading.Measure;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.assertj.core.api.ListAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on a snapshot: its totals, and the way to its sites, classes and threads.
 *
 * <pre>{@code
 * assertThat(snapshot).allocatesAtMost("10 MB").hasNoDrops();
 * assertThat(snapshot).sitesIn("com.acme.cart").leavesBehindAtMost("64 KB");
 * }</pre>
 *
 * <p>The <em>place</em> of a site is the first frame of its stack outside the JDK: the code that
 * called for the allocation. Lambdas belong to the method in which they are written.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public class HeapSnapshotAssert
        extends AbstractHeapFiguresAssert<HeapSnapshotAssert, HeapSnapshot> {

    /**
     * Made by {@link HeapSamplerAssertions#assertThat(HeapSnapshot)}; null fails each assertion.
     */
    public HeapSnapshotAssert(@Nullable HeapSnapshot actual) {
        super(actual, HeapSnapshotAssert.class, Scope.of(actual));
    }

    @Override
    NamedFigures figures() {
        return NamedFigures.of(actual.totals());
    }

    @Override
    List<HeapSite> shownSites() {
        return actual.sites();
    }

    /**
     * Verifies that the snapshot was taken after a forced collection, so that the live objects are
     * known.
     *
     * @return this
     */
    public HeapSnapshotAssert isAfterGc() {
        return isThere() ? unless(Doubts.noCollection(actual)) : this;
    }

    /**
     * Verifies that nothing was dropped, folded or shortened that would change the figures of
     * allocated and live objects and their ages; see {@link DropCause#affects}. {@link
     * DropCause#DEAD_FORGOTTEN}, for example, changes none of them.
     *
     * @return this
     */
    public HeapSnapshotAssert hasNoDrops() {
        return hasNoDropsAffecting(
                DropCause.Figure.ALLOCATED, DropCause.Figure.LIVE, DropCause.Figure.AGES);
    }

    /**
     * Verifies that nothing was dropped, folded or shortened that would change certain figures.
     *
     * @param figures those that matter, one or more
     * @return this
     * @throws IllegalArgumentException if there is no figure
     */
    public HeapSnapshotAssert hasNoDropsAffecting(DropCause.Figure... figures) {
        requireAny(figures);
        Set<DropCause> causes = EnumSet.allOf(DropCause.class);
        causes.removeIf(cause -> Arrays.stream(figures).noneMatch(cause::affects));
        return hasNone(causes);
    }

    /**
     * Verifies that nothing was dropped for certain causes.
     *
     * @param causes one or more
     * @return this
     * @throws IllegalArgumentException if there is no cause
     */
    public HeapSnapshotAssert hasNoDrops(DropCause... causes) {
        requireAny(causes);
        return hasNone(List.of(causes));
    }

    private static void requireAny(Object[] named) {
        if (named.length == 0) {
            throw new IllegalArgumentException("name one or more, or call hasNoDrops()");
        }
    }

    private HeapSnapshotAssert hasNone(Collection<DropCause> causes) {
        return isThere() ? unless(Doubts.drops(actual, causes)) : this;
    }

    /**
     * Verifies that there are no notes. On JDK 17 to 24 there always is one, about JDK-8356372: see
     * {@link #hasNoNotesExcept(String...)}.
     *
     * @return this
     */
    public HeapSnapshotAssert hasNoNotes() {
        return hasNoNotesExcept();
    }

    /**
     * Verifies that there are no notes except the expected ones.
     *
     * @param ids {@link Note#id() ids} of expected notes, such as {@code "jdk-8356372"}
     * @return this
     * @throws IllegalArgumentException if an argument does not have the form of an id
     */
    public HeapSnapshotAssert hasNoNotesExcept(String... ids) {
        for (String id : ids) { // a part of a text would match none
            if (!id.matches("[a-z0-9-]+")) {
                throw new IllegalArgumentException(
                        "not the id of a note: \"%s\"; Note.id() returns it".formatted(id));
            }
        }
        return isThere() ? unless(Doubts.notes(actual, ids)) : this;
    }

    /** {@return assertions on all sites, most allocated bytes first} */
    @CheckReturnValue
    public HeapSiteListAssert sites() {
        return HeapSiteListAssert.from(
                this, HeapSites.select(sitesOrNone(), SiteFilter.all()).sites(), "sites");
    }

    /**
     * Navigates to the sites at which objects of a class were allocated.
     *
     * @param type the class itself, without its subclasses
     * @return the sites, as one; there may be none
     * @throws IllegalArgumentException if the type is primitive or hidden
     */
    @CheckReturnValue
    public HeapSitesAssert sitesOf(Class<?> type) {
        return sitesOf(Places.nameOf(type));
    }

    /**
     * As {@link #sitesOf(Class)}, by the Java name, such as {@code byte[]} or {@code
     * java.util.HashMap$Node}.
     */
    @CheckReturnValue
    public HeapSitesAssert sitesOf(String className) {
        return select(SiteFilter.ofClass(className));
    }

    /**
     * Navigates to the sites whose place is in a package.
     *
     * @param packageName such as {@code com.acme.cart}; packages below it are included
     * @return the sites, as one; there may be none
     * @throws IllegalArgumentException if this is not the name of a package
     */
    @CheckReturnValue
    public HeapSitesAssert sitesIn(String packageName) {
        return select(SiteFilter.inPackage(packageName));
    }

    /**
     * Navigates to the sites whose place is a method.
     *
     * @param type the class that declares the method
     * @param methodName such as {@code add}, or {@code <init>} for constructors
     * @return the sites, as one, of all lines, callers and classes; there may be none
     */
    @CheckReturnValue
    public HeapSitesAssert sitesAt(Class<?> type, String methodName) {
        return sitesAt(Places.nameOf(type), methodName);
    }

    /** As {@link #sitesAt(Class, String)}, by the Java name of the class. */
    @CheckReturnValue
    public HeapSitesAssert sitesAt(String className, String methodName) {
        return select(SiteFilter.at(className, methodName));
    }

    /**
     * Navigates to the sites that a method is behind: it is anywhere on the stack.
     *
     * @param type the class that declares the method
     * @param methodName such as {@code add}, or {@code <init>} for constructors
     * @return the sites, as one; there may be none
     */
    @CheckReturnValue
    public HeapSitesAssert sitesUnder(Class<?> type, String methodName) {
        return select(SiteFilter.under(Places.nameOf(type), methodName));
    }

    /**
     * Navigates to the sites that a predicate accepts.
     *
     * @param wanted the predicate
     * @param name for messages, such as {@code sites of large arrays}
     * @return the sites, as one; there may be none
     */
    @CheckReturnValue
    public HeapSitesAssert sitesMatching(Predicate<? super HeapSite> wanted, String name) {
        return select(SiteFilter.matching(wanted, name));
    }

    /**
     * Navigates to the only site whose place is a method.
     *
     * @param type the class that declares the method
     * @param methodName such as {@code add}, or {@code <init>} for constructors
     * @return the site
     * @throws AssertionError if there is no such site, or several; {@link #sitesAt} adds them up
     */
    public HeapSiteAssert siteAt(Class<?> type, String methodName) {
        return siteAt(Places.nameOf(type), methodName);
    }

    /** As {@link #siteAt(Class, String)}, by the Java name of the class. */
    public HeapSiteAssert siteAt(String className, String methodName) {
        String name = Places.method(className, methodName);
        List<HeapSite> found =
                sitesOrNone().stream()
                        .filter(site -> Places.isAt(site, className, methodName))
                        .toList();
        Scope scope = scope();
        if (found.size() != 1 && !scope.isReported()) {
            scope =
                    missing(
                            found.isEmpty()
                                    ? Texts.noSite(name, top(actual.sites()))
                                    : Texts.severalSites(name, found.size(), top(found)));
        }
        HeapSiteAssert site =
                to(
                                HeapSiteAssert.class,
                                HeapSite.class,
                                found.size() == 1 ? found.get(0) : null,
                                HeapSiteAssert::new,
                                "site at " + name)
                        .in(scope);
        chain().judged(); // that there is one is an assertion
        return site;
    }

    /**
     * Navigates to the figures of a class.
     *
     * @param type the class itself, without its subclasses
     * @return its figures, which are 0 if it was not sampled
     */
    @CheckReturnValue
    public HeapFiguresAssert classTotals(Class<?> type) {
        return classTotals(Places.nameOf(type));
    }

    /**
     * As {@link #classTotals(Class)}, by the Java name, such as {@code byte[]} or {@code
     * java.util.HashMap$Node}.
     */
    @CheckReturnValue
    public HeapFiguresAssert classTotals(String className) {
        HeapSites sites = HeapSites.select(sitesOrNone(), SiteFilter.ofClass(className));
        List<ClassTotals> totals =
                classesOrNone().stream().filter(c -> c.className().equals(className)).toList();
        return figures(
                NamedFigures.sum("class " + Texts.cut(className), totals),
                NamedFigures.sum("", sites.unplaced()),
                sites.sites());
    }

    /**
     * Navigates to the figures of all threads of a name.
     *
     * @param threadName the name that they had when they were first sampled
     * @return their figures, which are 0 if they were not sampled
     */
    @CheckReturnValue
    public HeapFiguresAssert threadTotals(String threadName) {
        return threadTotals(
                threadName,
                each -> each.threadId().isPresent() && each.threadName().equals(threadName));
    }

    /** {@return assertions on the figures of a thread, which are 0 if it was not sampled} */
    @SuppressWarnings("deprecation") // threadId() is from JDK 19 on
    @CheckReturnValue
    public HeapFiguresAssert threadTotals(Thread thread) {
        return threadTotals(thread.getName(), each -> each.threadId().orElse(-1) == thread.getId());
    }

    private HeapFiguresAssert threadTotals(String threadName, Predicate<ThreadTotals> wanted) {
        List<ThreadTotals> all = isThere() ? actual.threads() : List.of();
        String name = "thread \"" + Texts.cut(threadName) + "\"";
        return figures(
                NamedFigures.sum(name, all.stream().filter(wanted).toList()),
                NamedFigures.sum(
                        "", all.stream().filter(each -> each.threadId().isEmpty()).toList()),
                List.of());
    }

    private HeapFiguresAssert figures(
            NamedFigures figures, NamedFigures unplaced, List<HeapSite> sites) {
        return to(
                        HeapFiguresAssert.class,
                        NamedFigures.class,
                        figures,
                        HeapFiguresAssert::new,
                        figures.name())
                .beside(unplaced, sites);
    }

    /** {@return assertions on the figures of all classes, in no particular order} */
    @CheckReturnValue
    public ListAssert<ClassTotals> classes() {
        return toList(classesOrNone(), "classes");
    }

    private List<ClassTotals> classesOrNone() {
        return isThere() ? actual.classes() : List.of();
    }

    /** {@return assertions on the figures of all threads, in no particular order} */
    @CheckReturnValue
    public ListAssert<ThreadTotals> threads() {
        return toList(isThere() ? actual.threads() : List.of(), "threads");
    }

    /** {@return assertions on the samples that are still kept, those alive first} */
    @CheckReturnValue
    public ListAssert<HeapSample> samples() {
        return toList(isThere() ? actual.samples() : List.of(), "samples");
    }

    /** {@return assertions on the notes, each with an id and a text} */
    @CheckReturnValue
    public ListAssert<Note> notes() {
        return toList(isThere() ? actual.notes() : List.of(), "notes");
    }

    private HeapSitesAssert select(SiteFilter filter) {
        return to(
                HeapSitesAssert.class,
                HeapSites.class,
                HeapSites.select(sitesOrNone(), filter),
                HeapSitesAssert::new,
                filter.name());
    }

    private List<HeapSite> sitesOrNone() {
        return isThere() ? actual.sites() : List.of();
    }

    private String top(List<HeapSite> sites) {
        return Top.ofSites(sites, Measure.ALLOCATED_BYTES).text(info.representation());
    }
}

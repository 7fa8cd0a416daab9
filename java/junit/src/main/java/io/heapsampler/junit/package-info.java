// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/**
 * Allocation and leak assertions as annotations of JUnit Jupiter, 5.12 and later.
 *
 * <p>References are never null unless they are marked {@code @Nullable}. Amounts are written as
 * {@code "64 KB"}: a number and B, KB, MB or GB, where 1 KB is 1,024 bytes.
 *
 * <p>Settings for all tests go into {@code junit-platform.properties}, or are passed to the JVM
 * with {@code -D}. A setting at a test takes precedence. A wrong value fails each test with an
 * annotation of this package before it runs.
 *
 * <table class="striped">
 * <caption>Parameters</caption>
 * <thead>
 * <tr><th scope="col">parameter</th><th scope="col">default</th><th scope="col">meaning</th></tr>
 * </thead>
 * <tbody>
 * <tr><th scope="row">{@code heapsampler.junit.threads}</th><td>{@code test}</td>
 *     <td>whose allocations count in limits of allocated bytes: {@code test} or {@code inherited};
 *     {@code ThreadScope.ALL} is written at its tests, for it takes a lock</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.interval}</th><td>from the limit</td>
 *     <td>bytes between two samples, such as {@code 4 KB}; limits that it cannot decide about choose
 *     their own</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.iterations}</th><td>20</td>
 *     <td>runs of {@link io.heapsampler.junit.NoLeaks} between its two looks, from 5 to 1000</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.perSite}</th><td>{@code 0 B}</td>
 *     <td>how much a site may grow per run of {@link io.heapsampler.junit.NoLeaks}</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.tolerance}</th><td>{@code 10 %}</td>
 *     <td>how much more than its baseline a test may allocate: a percentage or an amount</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.baseline.directory}</th><td>{@code src/test/heapsampler}</td>
 *     <td>where baselines are</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.update}</th><td>{@code false}</td>
 *     <td>{@code true}: baselines are written and not compared</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.whenNotMeasured}</th><td>{@code fail}</td>
 *     <td>{@code fail}, {@code abort} or {@code ignore}, see {@link
 *     io.heapsampler.assertions.WhenNotMeasured}</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.sites}</th><td>3</td>
 *     <td>sites in a message, from 0 to 20</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.ownCode}</th><td>all but known libraries</td>
 *     <td>packages or classes of which messages name the first frame as yours, such as {@code
 *     com.acme, org.example}</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.holders}</th><td>{@code true}</td>
 *     <td>whether a message about objects that stay alive ends with the references that hold them;
 *     {@code false}: nothing is searched</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.verdicts}</th><td>{@code notable}</td>
 *     <td>verdicts that are printed at the end of a run, below their number: {@code notable}: those
 *     that passed but left something out, or were not measured; {@code all} or {@code none}</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.verdicts.file}</th><td>none</td>
 *     <td>a file to which all verdicts are appended, such as {@code target/verdicts.txt}</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.artifacts}</th><td>{@code on_failure}</td>
 *     <td>when snapshots go into the report: {@code on_failure}, {@code never}, or {@code always}:
 *     of each assertion but an exact count that is kept</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.artifacts.formats}</th>
 *     <td>{@code html, pprof, collapsed, json}</td>
 *     <td>their formats, of {@link io.heapsampler.export.ExportFormat}</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.artifacts.limit}</th><td>{@code 100 MB}</td>
 *     <td>all files of a run together; a file that would exceed it is left out</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.artifacts.testLimit}</th><td>{@code 20 MB}</td>
 *     <td>all files of one test together</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.artifacts.attachments}</th><td>{@code auto}</td>
 *     <td>whether their paths are printed as {@code [[ATTACHMENT|path]]}: {@code always}, {@code
 *     never}, or {@code auto}: if {@code JENKINS_URL} or {@code GITLAB_CI} is set</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.suppressions}</th><td>none</td>
 *     <td>a file with lines such as {@code leak:com.acme.Money.parse # why}</td></tr>
 * <tr><th scope="row">{@code heapsampler.junit.suppressions.unused}</th><td>{@code report}</td>
 *     <td>{@code fail}: one that was not needed fails the run</td></tr>
 * </tbody>
 * </table>
 *
 * <p>{@code types}, {@code packages} and {@code exclude} can be set only at an assertion.
 *
 * <p><b>Where annotations may be.</b> On test methods of any kind, and on classes, for all tests in
 * them and in their nested classes. On another method, such as one with {@code @BeforeEach}, or on
 * a private one, nothing would be measured: such a class fails before anything of it runs, and all
 * other classes run. The same holds for a test that overrides a method with an annotation of this
 * package and has none of that kind itself: Java does not inherit annotations of methods. JUnit's
 * launcher looks for that, which all builds and development environments use; without it, a test of
 * that class with an annotation of this package does. An annotation on a class in which JUnit finds
 * no test at all is as silent as that class.
 *
 * <p><b>Beside other extensions.</b> Where the thread of the test counts, a test is refused if an
 * {@code InvocationInterceptor} of another extension is called between HeapSampler and the body of
 * the test, where it may change the thread. JUnit calls what is registered first outermost:
 * register such an extension with the class or in a static field, and write the limit at the test.
 *
 * <p><b>Assertions without a verdict.</b> A test with an annotation of this package, or with a
 * {@link io.heapsampler.junit.HeapSamplerExtension}, fails if it begins an assertion, such as
 * {@code assertAllocations(code).ofType(Order.class)} or {@code assertThat(snapshot)}, and does not
 * end it with one that asserts something. That holds for all threads if tests run one after the
 * other, and for the test's own thread if they run in parallel. What begins in {@code @BeforeAll}
 * is not seen.
 *
 * <p><b>JUnit before 5.12</b> cannot read these annotations: classes with one of them fail and name
 * the version that is needed. Other engines, such as those of JUnit 4, TestNG and jqwik, ignore
 * them: write {@link io.heapsampler.assertions.AllocationAssertions#assertAllocations} there.
 */
@NullMarked
package io.heapsampler.junit;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import com.google.errorprone.annotations.CheckReturnValue;
import io.heapsampler.ApiStatus;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSample;
import io.heapsampler.HeapSite;
import java.util.List;
import org.assertj.core.api.ListAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on one allocation site.
 *
 * <pre>{@code
 * assertThat(snapshot).siteAt(Cart.class, "add").isOf(byte[].class).leavesBehindAtMost("64 KB");
 * }</pre>
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public class HeapSiteAssert extends AbstractHeapFiguresAssert<HeapSiteAssert, HeapSite> {

    /** Made by {@link HeapSamplerAssertions#assertThat(HeapSite)}; null fails each assertion. */
    public HeapSiteAssert(@Nullable HeapSite actual) {
        super(actual, HeapSiteAssert.class, Scope.NONE);
    }

    @Override
    NamedFigures figures() {
        return NamedFigures.of(actual);
    }

    @Override
    List<HeapSite> shownSites() {
        return List.of(actual);
    }

    /**
     * Verifies of which class the objects are.
     *
     * @param type the class itself
     * @return this
     */
    public HeapSiteAssert isOf(Class<?> type) {
        return isOf(Places.nameOf(type));
    }

    /**
     * As {@link #isOf(Class)}, by the Java name, such as {@code byte[]} or {@code
     * java.util.HashMap$Node}.
     */
    public HeapSiteAssert isOf(String className) {
        Texts.checked(className, "class name");
        if (isThere() && !actual.className().equals(className)) {
            throw failureWithActualExpected(
                    actual.className(),
                    className,
                    "Expected a site of %s, but this is a %s.",
                    Texts.cut(className),
                    HeapSites.nameOf(actual));
        }
        return this;
    }

    /**
     * Verifies that the place of the site, the first frame of its stack outside the JDK, is a
     * method.
     *
     * @param type the class that declares the method
     * @param methodName such as {@code add}, or {@code <init>} for constructors
     * @return this
     */
    public HeapSiteAssert isAt(Class<?> type, String methodName) {
        String className = Places.nameOf(type);
        if (isThere() && !Places.isAt(actual, className, methodName)) {
            throw wrongPlace("at", className, methodName);
        }
        return this;
    }

    /**
     * Verifies that a method is behind the site: it is anywhere on the stack.
     *
     * @param type the class that declares the method
     * @param methodName such as {@code add}, or {@code <init>} for constructors
     * @return this
     */
    public HeapSiteAssert isUnder(Class<?> type, String methodName) {
        String className = Places.nameOf(type);
        if (isThere() && !Places.isUnder(actual, className, methodName)) {
            throw wrongPlace("under", className, methodName);
        }
        return this;
    }

    private AssertionError wrongPlace(String how, String className, String methodName) {
        return failure(
                "Expected a site %s %s.%s, but its stack is:\n    %s",
                how, className, methodName, String.join("\n    ", Texts.frames(actual.stack())));
    }

    /** {@return assertions on the frames of the stack, leaf first} */
    @CheckReturnValue
    public ListAssert<HeapFrame> stack() {
        return toList(isThere() ? actual.stack() : List.of(), "stack");
    }

    /** {@return assertions on the samples that are still kept, those alive first} */
    @CheckReturnValue
    public ListAssert<HeapSample> samples() {
        return toList(isThere() ? actual.samples() : List.of(), "samples");
    }
}

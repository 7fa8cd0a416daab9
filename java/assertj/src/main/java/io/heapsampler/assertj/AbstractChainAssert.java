// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import io.heapsampler.internal.shared.OpenChains.Chain;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.AbstractListAssert;
import org.assertj.core.api.AbstractStringAssert;
import org.assertj.core.api.Condition;
import org.assertj.core.api.InstanceOfAssertFactory;
import org.assertj.core.api.ObjectAssert;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether the chain to which an assertion belongs has asserted anything: each assertion of
 * AssertJ itself is a verdict, and navigation of AssertJ is taken for one.
 *
 * @param <SELF> the type of the assertion
 * @param <ACTUAL> the type that it asserts on
 */
abstract class AbstractChainAssert<SELF extends AbstractChainAssert<SELF, ACTUAL>, ACTUAL>
        extends AbstractAssert<SELF, ACTUAL> {

    private Chain chain = Chain.NONE;

    AbstractChainAssert(@Nullable ACTUAL actual, Class<?> selfType) {
        super(actual, selfType);
    }

    /** Makes this a part of a chain. */
    SELF inChain(Chain begun) {
        chain = begun;
        return myself;
    }

    Chain chain() {
        return chain;
    }

    @Override
    public SELF isEqualTo(@Nullable Object expected) {
        chain.judged();
        return super.isEqualTo(expected);
    }

    @Override
    public SELF isNotEqualTo(@Nullable Object other) {
        chain.judged();
        return super.isNotEqualTo(other);
    }

    @Override
    public void isNull() {
        chain.judged();
        super.isNull();
    }

    @Override
    public SELF isNotNull() {
        chain.judged();
        return super.isNotNull();
    }

    @Override
    public SELF isSameAs(@Nullable Object expected) {
        chain.judged();
        return super.isSameAs(expected);
    }

    @Override
    public SELF isNotSameAs(@Nullable Object other) {
        chain.judged();
        return super.isNotSameAs(other);
    }

    @Override
    public SELF isIn(Object... values) {
        chain.judged();
        return super.isIn(values);
    }

    @Override
    public SELF isNotIn(Object... values) {
        chain.judged();
        return super.isNotIn(values);
    }

    @Override
    public SELF isIn(Iterable<?> values) {
        chain.judged();
        return super.isIn(values);
    }

    @Override
    public SELF isNotIn(Iterable<?> values) {
        chain.judged();
        return super.isNotIn(values);
    }

    @Override
    public SELF is(Condition<? super ACTUAL> condition) {
        chain.judged();
        return super.is(condition);
    }

    @Override
    public SELF isNot(Condition<? super ACTUAL> condition) {
        chain.judged();
        return super.isNot(condition);
    }

    @Override
    public SELF has(Condition<? super ACTUAL> condition) {
        chain.judged();
        return super.has(condition);
    }

    @Override
    public SELF doesNotHave(Condition<? super ACTUAL> condition) {
        chain.judged();
        return super.doesNotHave(condition);
    }

    @Override
    public SELF satisfies(Condition<? super ACTUAL> condition) {
        chain.judged();
        return super.satisfies(condition);
    }

    @Override
    public SELF isInstanceOf(Class<?> type) {
        chain.judged();
        return super.isInstanceOf(type);
    }

    @Override
    public <T> SELF isInstanceOfSatisfying(Class<T> type, Consumer<T> requirements) {
        chain.judged();
        return super.isInstanceOfSatisfying(type, requirements);
    }

    @Override
    public SELF isInstanceOfAny(Class<?>... types) {
        chain.judged();
        return super.isInstanceOfAny(types);
    }

    @Override
    public SELF isNotInstanceOf(Class<?> type) {
        chain.judged();
        return super.isNotInstanceOf(type);
    }

    @Override
    public SELF isNotInstanceOfAny(Class<?>... types) {
        chain.judged();
        return super.isNotInstanceOfAny(types);
    }

    @Override
    public SELF hasSameClassAs(Object other) {
        chain.judged();
        return super.hasSameClassAs(other);
    }

    @Override
    public SELF doesNotHaveSameClassAs(Object other) {
        chain.judged();
        return super.doesNotHaveSameClassAs(other);
    }

    @Override
    public SELF isExactlyInstanceOf(Class<?> type) {
        chain.judged();
        return super.isExactlyInstanceOf(type);
    }

    @Override
    public SELF isNotExactlyInstanceOf(Class<?> type) {
        chain.judged();
        return super.isNotExactlyInstanceOf(type);
    }

    @Override
    public SELF isOfAnyClassIn(Class<?>... types) {
        chain.judged();
        return super.isOfAnyClassIn(types);
    }

    @Override
    public SELF isNotOfAnyClassIn(Class<?>... types) {
        chain.judged();
        return super.isNotOfAnyClassIn(types);
    }

    @Override
    public SELF hasToString(String expected) {
        chain.judged();
        return super.hasToString(expected);
    }

    @Override
    public SELF hasToString(String template, Object... arguments) {
        chain.judged();
        return super.hasToString(template, arguments);
    }

    @Override
    public SELF doesNotHaveToString(String other) {
        chain.judged();
        return super.doesNotHaveToString(other);
    }

    @Override
    public SELF doesNotHaveToString(String template, Object... arguments) {
        chain.judged();
        return super.doesNotHaveToString(template, arguments);
    }

    @Override
    public SELF hasSameHashCodeAs(Object other) {
        chain.judged();
        return super.hasSameHashCodeAs(other);
    }

    @Override
    public SELF doesNotHaveSameHashCodeAs(Object other) {
        chain.judged();
        return super.doesNotHaveSameHashCodeAs(other);
    }

    @Override
    public SELF matches(Predicate<? super ACTUAL> predicate) {
        chain.judged();
        return super.matches(predicate);
    }

    @Override
    public SELF matches(Predicate<? super ACTUAL> predicate, String description) {
        chain.judged();
        return super.matches(predicate, description);
    }

    @Override
    public SELF doesNotMatch(Predicate<? super ACTUAL> predicate) {
        chain.judged();
        return super.doesNotMatch(predicate);
    }

    @Override
    public SELF doesNotMatch(Predicate<? super ACTUAL> predicate, String description) {
        chain.judged();
        return super.doesNotMatch(predicate, description);
    }

    @Override
    public <A extends AbstractAssert<?, ?>> A asInstanceOf(InstanceOfAssertFactory<?, A> factory) {
        chain.judged();
        return super.asInstanceOf(factory);
    }

    @Override
    @Deprecated // by AssertJ
    public AbstractListAssert<?, List<?>, Object, ObjectAssert<Object>> asList() {
        chain.judged();
        return super.asList();
    }

    @Override
    public AbstractStringAssert<?> asString() {
        chain.judged();
        return super.asString();
    }

    @Override
    protected SELF satisfiesForProxy(Consumer<? super ACTUAL>[] requirements) {
        chain.judged();
        return super.satisfiesForProxy(requirements);
    }

    @Override
    protected SELF satisfiesAnyOfForProxy(Consumer<? super ACTUAL>[] requirements) {
        chain.judged();
        return super.satisfiesAnyOfForProxy(requirements);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static io.heapsampler.assertj.HeapSamplerBDDAssertions.then;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heapsampler.HeapGrowth;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.internal.shared.OpenChains;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.AbstractSoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which chains have asserted something: what is begun and left is known to the test. */
@SuppressWarnings("CheckReturnValue") // that is what this is about
class ChainsTest {

    private static final HeapSnapshot SHOP = NavigationTest.shop();

    /** Does a test that does this leave a chain without a verdict? */
    private static boolean leavesOne(Runnable chain) {
        return !open(chain).isEmpty();
    }

    private static List<String> open(Runnable chain) {
        OpenChains test = OpenChains.ofTest(true);
        OpenChains before = test.bind();
        try {
            chain.run();
        } finally {
            OpenChains.rebind(before);
        }
        return test.close();
    }

    static Stream<Runnable> unjudged() {
        SoftHeapSamplerAssertions softly = new SoftHeapSamplerAssertions();
        return Stream.of(
                () -> assertThat(SHOP),
                () -> assertThat(SHOP.sites().get(0)),
                () -> assertThat(SHOP.classes().get(0)),
                () -> assertThat(SHOP.sites().get(0).allocated().bytes()),
                () -> assertThat(SHOP.diff(SHOP)),
                () -> then(SHOP),
                () -> softly.assertThat(SHOP),
                () -> softly.assertThat(SHOP.diff(SHOP)),
                () -> AssertableHeapSnapshot.of(SHOP).assertThat(),
                () -> assertThat(SHOP).as("shop").whenUndecided(Undecided.PASSES),
                () -> assertThat(SHOP).sitesOf(byte[].class),
                () -> assertThat(SHOP).sitesOf(byte[].class).allocatedBytes().as("bytes"),
                () -> assertThat(SHOP.diff(SHOP)).liveBytes(),
                () -> softly.assertThat(SHOP).classTotals("byte[]"),
                () -> assertThat(SHOP).allocatesAtMost("1 GB").sitesOf(byte[].class));
    }

    @ParameterizedTest
    @MethodSource("unjudged")
    void startersNavigationAndSettingsAreNoVerdict(Runnable chain) {
        assertThat(leavesOne(chain)).isTrue();
    }

    private static HeapGrowth growth() {
        return HeapGrowth.of(
                IntStream.rangeClosed(1, 3)
                        .mapToObj(second -> new TestSnapshot(64).takenAt(second).take())
                        .toList());
    }

    private static Object actual(Class<?> type) {
        return Stream.of(
                        SHOP,
                        SHOP.sites().get(0),
                        SHOP.classes().get(0),
                        SHOP.sites().get(0).allocated().bytes(),
                        SHOP.diff(SHOP),
                        growth())
                .filter(type::isInstance)
                .findFirst()
                .orElseThrow();
    }

    static Stream<Arguments> starters() {
        return Stream.of(
                        HeapSamplerAssertions.class,
                        HeapSamplerBDDAssertions.class,
                        HeapSamplerSoftAssertionsProvider.class,
                        HeapSamplerBDDSoftAssertionsProvider.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> List.of("assertThat", "then").contains(method.getName()))
                .map(Arguments::of);
    }

    private static final class Softly extends AbstractSoftAssertions
            implements HeapSamplerSoftAssertionsProvider, HeapSamplerBDDSoftAssertionsProvider {}

    /** A new one cannot be forgotten. */
    @ParameterizedTest
    @MethodSource("starters")
    void eachStarterBeginsAChain(Method starter) {
        Object target = Modifier.isStatic(starter.getModifiers()) ? null : new Softly();

        assertThat(
                        leavesOne(
                                () -> {
                                    try {
                                        starter.invoke(
                                                target, actual(starter.getParameterTypes()[0]));
                                    } catch (ReflectiveOperationException e) {
                                        throw new IllegalStateException(e);
                                    }
                                }))
                .isTrue();
    }

    @Test
    void thereAreStartersForAllKinds() {
        assertThat(starters()).hasSize(4 * 6);
    }

    @Test
    void textSaysWhatToDo() {
        assertThat(open(() -> assertThat(SHOP)))
                .singleElement()
                .asString()
                .startsWith("The assertion at ")
                .endsWith(
                        " ends without a verdict: end it with an assertion, such as"
                                + " allocatesAtMost.");
    }

    static Stream<Runnable> judged() {
        SoftHeapSamplerAssertions softly = new SoftHeapSamplerAssertions();
        return Stream.of(
                () -> assertThat(SHOP).allocatesAtMost("1 GB"),
                () -> assertThat(SHOP).sitesOf(byte[].class).allocatedBytes().isAtMost("1 GB"),
                () -> assertThat(SHOP).siteAt("com.acme.stock.Stock", "load"),
                () -> assertThat(SHOP).sites().isNotEmpty(),
                () -> assertThat(SHOP).isNotNull(),
                () -> assertThat(SHOP).satisfies(each -> assertThat(each.sites()).isNotEmpty()),
                () -> assertThat(SHOP.diff(SHOP)).hasGrownByAtMost("1 GB"),
                () -> then(SHOP).allocatesAtMost("1 GB"),
                () -> softly.assertThat(SHOP).allocatesAtMost(1).hasNothingLive(),
                () -> softly.assertThat(SHOP).classTotals("byte[]").hasNothingLive(),
                () -> softly.assertThat(SHOP).satisfies(each -> assertThat(each).isNotNull()),
                () -> catchThrowable(() -> assertThat(SHOP).allocatesAtMost(1)));
    }

    @ParameterizedTest
    @MethodSource("judged")
    void verdictsEndThem(Runnable chain) {
        assertThat(leavesOne(chain)).isFalse();
    }

    static Stream<AbstractHeapAssert<?, ?>> assertions() {
        HeapSite site = SHOP.sites().get(0);
        return Stream.of(
                assertThat(SHOP),
                assertThat(site),
                assertThat(SHOP.classes().get(0)),
                assertThat(SHOP).sitesOf(byte[].class),
                assertThat(SHOP).sitesOf(byte[].class).allocatedBytes(),
                assertThat(SHOP.diff(SHOP)));
    }

    /** Each public method but the settings and what must be used, called with something. */
    @ParameterizedTest
    @MethodSource("assertions")
    void whateverAssertsIsAVerdict(AbstractHeapAssert<?, ?> begun) {
        for (Method method : begun.getClass().getMethods()) {
            boolean isAssertion =
                    method.getDeclaringClass().getPackage() == getClass().getPackage()
                            && method.getReturnType() == begun.getClass()
                            && !method.isBridge()
                            && !List.of("whenUndecided", "withInterval", "returnToSnapshot")
                                    .contains(method.getName())
                            && method.getDeclaringClass() != AbstractChainAssert.class;
            if (isAssertion) {
                assertThat(leavesOne(() -> call(begun, method))).as(method.toString()).isFalse();
            }
        }
    }

    private static void call(AbstractHeapAssert<?, ?> target, Method method) {
        target.begin();
        Object[] arguments =
                Arrays.stream(method.getParameterTypes()).map(ChainsTest::something).toArray();
        try {
            method.invoke(target, arguments);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        } catch (InvocationTargetException e) {
            assertThat(e.getCause()).as(method.toString()).isInstanceOf(AssertionError.class);
        }
    }

    private static Object something(Class<?> type) {
        if (type == long.class) {
            return 1L;
        }
        if (type == int.class) {
            return 1;
        }
        if (type == double.class) {
            return 1.0;
        }
        if (type == String[].class) {
            return new String[] {"few-samples"};
        }
        if (type.isArray()) {
            Object[] one = (Object[]) Array.newInstance(type.getComponentType(), 1);
            one[0] = something(type.getComponentType());
            return one;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return type == String.class ? "1 GB" : byte[].class;
    }

    private static final Set<String> SETTINGS =
            Set.of(
                    "describedAs",
                    "overridingErrorMessage",
                    "withFailMessage",
                    "usingComparator",
                    "usingEquals",
                    "usingDefaultComparator",
                    "withThreadDumpOnError",
                    "withRepresentation",
                    "getWritableAssertionInfo",
                    "descriptionText",
                    "equals",
                    "hashCode",
                    "actual");

    /** A later AssertJ may have more. */
    @Test
    void allOfAssertJsOwnAreKnown() {
        Predicate<Method> isAssertion =
                method ->
                        Modifier.isPublic(method.getModifiers())
                                && !Modifier.isStatic(method.getModifiers())
                                && !Modifier.isFinal(method.getModifiers())
                                && !method.isBridge()
                                && !SETTINGS.contains(method.getName());
        List<String> all =
                Arrays.stream(AbstractAssert.class.getDeclaredMethods())
                        .filter(isAssertion)
                        .map(ChainsTest::signature)
                        .toList();

        assertThat(Arrays.stream(AbstractChainAssert.class.getDeclaredMethods()))
                .map(ChainsTest::signature)
                .containsAll(all);
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }
}

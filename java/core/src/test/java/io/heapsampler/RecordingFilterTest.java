// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter that can match nothing is refused, and the message has the right spelling. */
class RecordingFilterTest {

    private final RecordingOptions.Builder options = RecordingOptions.builder();

    @ParameterizedTest
    @CsvSource({
        "java/lang/String, java.lang.String",
        "Ljava/lang/String;, java.lang.String",
        "[B, byte[]",
        "[[Ljava.lang.String;, java.lang.String[][]",
        "java.lang.String., java.lang.String",
        ".java.lang.String, java.lang.String",
        "java.lang.String.class, java.lang.String",
        "com.acme.Cart.java, com.acme.Cart",
        "java.util.Map.Entry, java.util.Map$Entry",
        "' byte[]', byte[]",
        "int, int[]",
        "'byte []', byte[]",
        "'byte [ ] []', byte[][]",
        "java.util.concurrent.ConcurrentHashMap.Node[],"
                + " java.util.concurrent.ConcurrentHashMap$Node[]",
        "com.acme.Cart$$Lambda/0x00007f25e0000d00, com.acme.Cart$$Lambda",
        "com.acme.Cart$$Lambda$14/0x00007f25e0000d00, com.acme.Cart$$Lambda",
        "jdk.proxy2.$Proxy12, jdk.proxy.$Proxy",
    })
    void aClassNameThatMatchesNothingIsRefused(String name, String right) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.className(name))
                .withMessageContaining("className \"" + name + "\" matches no class")
                .withMessageEndingWith("Write \"" + right + "\".");
    }

    /** A class of the application may have such a name, outside of any package. */
    @ParameterizedTest
    @CsvSource({
        "String, java.lang.String",
        "String[], java.lang.String[]",
        "HashMap$Node, java.util.HashMap$Node",
        "Process, java.lang.Process",
        "Record, java.lang.Record",
        "Timer, java.util.Timer",
    })
    void aSimpleNameOfTheJdkIsRefused(String name, String right) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.className(name))
                .withMessage(
                        "className \"%s\" matches no class: it has no package. Write \"%s\", or"
                                + " pass the Class if it is one of your own.",
                        name, right);
    }

    @ParameterizedTest
    @CsvSource({
        "com.acme.*, com.acme",
        "com.acme.**, com.acme",
        "com.acme., com.acme",
        ".com.acme, com.acme",
        "com/acme, com.acme",
        "com/acme/, com.acme",
        "com..acme, com.acme",
        "' com.acme', com.acme",
    })
    void aPackageNameThatMatchesNothingIsRefused(String name, String right) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.packageName(name))
                .withMessageContaining("packageName \"" + name + "\" matches no class")
                .withMessageEndingWith("Write \"" + right + "\".");
    }

    @Test
    void patternsAreRefusedForClassesAndClassesForPackages() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.className("com.acme.*"))
                .withMessageEndingWith("Use packageName(\"com.acme\").");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.className("com.acme.Ca*"))
                .withMessage(
                        "className \"com.acme.Ca*\" matches no class: there are no patterns. Name"
                                + " each class, or use packageName().");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.packageName("com.*.cart"))
                .withMessage(
                        "packageName \"com.*.cart\" matches no class: there are no patterns. Name"
                                + " each package; the packages below it are included.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.packageName("java.util.HashMap"))
                .withMessageEndingWith("it is a class. Use className(\"java.util.HashMap\").");
        assertThatIllegalArgumentException().isThrownBy(() -> options.className("*"));
        assertThatIllegalArgumentException().isThrownBy(() -> options.packageName("*"));
        assertThatIllegalArgumentException().isThrownBy(() -> options.packageName("..."));
        assertThatIllegalArgumentException().isThrownBy(() -> options.className("[]"));
    }

    /** A name without a dot may be a class in the unnamed package, or one of a script. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "byte[]",
                "int[][]",
                "java.lang.String",
                "java.util.HashMap$Node[]",
                "no.such.Thing",
                "Script1",
                "com.acme.Größe",
                "com.acme.CartTest$adds two items$1",
                "com.acme.CartTest$adds two items$1[]",
                "B[]",
                "J[][]",
                "com.acme.Cart.Item",
                "com.acme.Cart$$Lambda"
            })
    void aClassNameThatMayMatchIsTaken(String name) {
        assertThat(options.className(name).build().classNames()).containsExactly(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"java", "java.util", "com.acme", "no.such", "größe.wächst"})
    void aPackageNameThatMayMatchIsTaken(String name) {
        assertThat(options.packageName(name).build().packageNames()).containsExactly(name);
    }

    @Test
    void aClassIsTakenUnderTheNameThatSnapshotsShow() {
        Runnable lambda = () -> {};
        Object proxy =
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Runnable.class},
                        (self, method, arguments) -> null);
        List<String> names =
                options.className(byte[].class)
                        .className(String[][].class)
                        .className(Map.Entry[].class)
                        .className(RecordingFilterTest.class)
                        .className(lambda.getClass())
                        .className(proxy.getClass())
                        .build()
                        .classNames();
        assertThat(names)
                .containsExactly(
                        "byte[]",
                        "java.lang.String[][]",
                        "java.util.Map$Entry[]",
                        "io.heapsampler.RecordingFilterTest",
                        "io.heapsampler.RecordingFilterTest$$Lambda",
                        "jdk.proxy.$Proxy");
    }

    @Test
    void aClassWithoutObjectsIsRefused() {
        for (Class<?> type : List.of(int.class, void.class, Map.Entry.class, Number.class)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.className(type))
                    .withMessageContaining(type.getName() + " has no objects of its own");
        }
    }
}

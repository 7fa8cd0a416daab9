// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which frame of a stack a message calls yours. */
class OwnCodeTest {

    private static @Nullable String first(OwnCode code, String... classNames) {
        List<StackTraceElement> stack =
                Arrays.stream(classNames)
                        .map(name -> new StackTraceElement(name, "run", "Any.java", 1))
                        .toList();
        StackTraceElement frame = code.first(stack);
        return frame == null ? null : frame.getClassName();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.ArrayList",
                "jakarta.servlet.http.HttpServlet",
                "kotlin.collections.CollectionsKt",
                "kotlinx.coroutines.DispatchedTask",
                "groovy.lang.Closure",
                "org.codehaus.groovy.runtime.callsite.PojoMetaMethodSite",
                "org.apache.groovy.internal.metaclass.MetaClassConstant",
                "org.spockframework.runtime.SpecificationContext",
                "spock.lang.Specification",
                "org.testng.internal.invokers.MethodInvocationHelper",
                "org.junit.jupiter.api.Assertions",
                "junit.framework.TestCase",
                "org.hamcrest.MatcherAssert",
                "org.assertj.core.api.AbstractListAssert",
                "org.mockito.internal.handler.MockHandlerImpl",
                "net.bytebuddy.dynamic.loading.ByteArrayClassLoader",
                "org.springframework.aop.framework.CglibAopProxy",
                "org.springframework.test.context.TestContextManager",
                "com.acme.Cart$MockitoMock$1204853",
                "com.acme.Cart$$EnhancerBySpringCGLIB$$3f2a1b",
                "com.acme.Cart$$SpringCGLIB$$0",
                "com.acme.Order$HibernateProxy$x7Qa",
                "jdk.proxy2.$Proxy17",
                "com.acme.$Proxy3",
            })
    void librariesAndWhatTheyMakeAreNot(String className) {
        assertThat(first(OwnCode.DEFAULT, className)).isNull();
        assertThat(first(OwnCode.DEFAULT, className, "com.acme.CartTest"))
                .isEqualTo("com.acme.CartTest");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.acme.Cart",
                "com.acme.Cart$Line",
                "com.acme.CartSpec$_fills_closure1",
                "com.acme.Cart$$Lambda",
                "com.acme.ProxyCart",
                "com.acme.Cart$Proxy",
                "springy.Cart",
                "org.acme.Cart",
                "Cart",
            })
    void allElseIs(String className) {
        assertThat(first(OwnCode.DEFAULT, "java.util.ArrayList", className, "com.acme.Later"))
                .isEqualTo(className);
    }

    @Test
    void whoseCodeItIsMayBeSaid() {
        OwnCode netty = new OwnCode(Pattern.all("io.netty", "com.acme.*Test"));

        assertThat(
                        first(
                                netty,
                                "java.util.ArrayList",
                                "io.netty.buffer.PoolArena",
                                "com.acme.Cart"))
                .isEqualTo("io.netty.buffer.PoolArena");
        assertThat(first(netty, "io.nettyx.A", "com.acme.Cart", "com.acme.CartTest"))
                .isEqualTo("com.acme.CartTest");
        assertThat(first(netty, "com.acme.Cart")).isNull();
        assertThat(first(netty, "io.netty.Bus$MockitoMock$1")).isNull();
    }
}

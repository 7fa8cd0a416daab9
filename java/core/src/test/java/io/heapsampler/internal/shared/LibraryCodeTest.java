// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryCodeTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.lang.String",
                "groovyjarjarasm.asm.ClassWriter",
                "org.h2.engine.SessionLocal",
                "com.github.benmanes.caffeine.cache.BoundedLocalCache",
                "org.codehaus.janino.UnitCompiler",
                "org.postgresql.jdbc.PgConnection",
                "com.mysql.cj.jdbc.ConnectionImpl",
                "com.zaxxer.hikari.pool.HikariPool",
                "okhttp3.internal.connection.RealCall",
                "org.apache.http.impl.client.CloseableHttpClient",
                "org.apache.hc.client5.http.impl.classic.CloseableHttpClient",
                "org.eclipse.jetty.server.Server",
                "io.vertx.core.impl.VertxImpl",
                "tools.jackson.databind.ObjectMapper",
                "io.github.resilience4j.circuitbreaker.internal.CircuitBreakerMetrics",
                "org.cache2k.core.HeapCache",
                "worker.org.gradle.process.internal.worker.GradleWorkerMain",
            })
    void librariesAreKnown(String className) {
        assertThat(LibraryCode.includes(className)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"com.acme.Cart", "org.h2o.Cart", "javafx.Cart", "Cart", "a.A", "zz.Z"})
    void otherCodeIsNot(String className) {
        assertThat(LibraryCode.includes(className)).isFalse();
        assertThat(LibraryCode.isGenerated(className)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.acme.$Proxy3",
                "jdk.proxy2.$Proxy17",
                "com.acme.Cart$MockitoMock$12",
                "com.acme.Cart$$TypeSwitch",
                "Script1",
                "Script12$_run_closure1"
            })
    void generatedClassesAreKnown(String className) {
        assertThat(LibraryCode.isGenerated(className)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"com.acme.Script1", "Script", "Scripts1", "com.acme.Cart$Proxy"})
    void namesLikeThemAreNot(String className) {
        assertThat(LibraryCode.isGenerated(className)).isFalse();
    }

    @Test
    void ownCodeIsOfNoLibraryAndNotGenerated() {
        assertThat(LibraryCode.isOwn("com.acme.Cart")).isTrue();
        assertThat(LibraryCode.isOwn("java.util.List")).isFalse();
        assertThat(LibraryCode.isOwn("com.acme.Cart$MockitoMock$1")).isFalse();
    }

    @Test
    void namesOfTheJdkAreKnown() {
        assertThat(LibraryCode.isOfJdk("com.sun.proxy.$Proxy1")).isTrue();
        assertThat(LibraryCode.isOfJdk("javax.management.ObjectName")).isTrue();
        assertThat(LibraryCode.isOfJdk("javassist.ClassPool")).isFalse();
        assertThat(LibraryCode.isOfJdk("com.sunny.Day")).isFalse();
    }

    @Test
    void librariesOfNativeCodeAreLibraries() {
        for (String name : new String[] {"org.rocksdb.RocksIterator", "ai.djl.nn.Block"}) {
            assertThat(LibraryCode.isOfNative(name)).isTrue();
            assertThat(LibraryCode.includes(name)).isTrue();
        }
        assertThat(LibraryCode.isOfNative("com.sun.jna.Memory")).isTrue();
        assertThat(LibraryCode.isOfNative("com.acme.Cart")).isFalse();
        assertThat(LibraryCode.nativePackages())
                .contains("org.rocksdb")
                .noneMatch(it -> it.endsWith("."));
    }
}

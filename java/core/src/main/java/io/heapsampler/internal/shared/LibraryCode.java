// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Tells classes of well-known libraries, and classes that they generate, from an application's. */
public final class LibraryCode {

    /** Packages of the JDK, each with those below it. */
    private static final String[] JDK = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

    /**
     * Packages of libraries, each with those below it, by kind; and prefixes of names, without a
     * last dot.
     */
    private static final String PREFIXES =
            """
            # Jakarta EE:
            jakarta.
            # Languages:
            kotlin. kotlinx. scala. groovy. groovyjarjar clojure. org.codehaus.groovy.
            org.apache.groovy. org.codehaus.janino. org.codehaus.commons. org.mozilla.javascript.
            org.graalvm. com.oracle.truffle. org.jruby.
            # Tests:
            org.junit. junit.framework. junit.extensions. junit.runner. org.testng.
            org.spockframework. spock. io.kotest. io.cucumber. net.jqwik. org.opentest4j.
            org.hamcrest. org.assertj. com.google.common.truth. org.awaitility.
            org.testcontainers. com.github.tomakehurst.wiremock. org.wiremock.
            # Mocks, proxies and byte code:
            org.mockito. org.easymock. org.powermock. io.mockk. org.jmock. net.bytebuddy.
            net.sf.cglib. javassist. org.objenesis. org.objectweb.asm. org.aspectj.
            # Containers and frameworks:
            org.springframework. io.micronaut. io.quarkus. io.helidon. io.dropwizard. org.jboss.
            org.wildfly. org.hibernate. org.eclipse.persistence. org.apache.openjpa. org.mybatis.
            org.apache.ibatis. org.jooq. org.flywaydb. liquibase. com.google.inject.
            org.glassfish. org.apache.catalina. org.apache.coyote. org.apache.tomcat.
            org.apache.camel. org.apache.cxf. akka. org.apache.pekko.
            # Collections, caches and utilities:
            com.google.common. com.google.gson. com.google.protobuf. com.github.benmanes.caffeine.
            org.ehcache. net.sf.ehcache. com.hazelcast. org.infinispan. it.unimi.dsi.fastutil.
            org.eclipse.collections. org.agrona. org.jctools. org.apache.commons.
            org.apache.lucene. org.joda.time. org.cache2k. com.lmax.disruptor. org.jgrapht.
            com.esotericsoftware. org.apache.avro. org.apache.thrift. org.roaringbitmap. io.vavr.
            org.quartz. io.github.resilience4j. com.netflix.hystrix. dev.failsafe.
            # Reactive streams, and networks:
            reactor. io.reactivex. org.reactivestreams. io.smallrye.mutiny. io.netty. io.vertx.
            io.undertow. io.grpc. okhttp3. okio. retrofit2. feign. org.apache.http. org.apache.hc.
            org.eclipse.jetty. org.xnio. org.apache.mina. org.apache.kafka. org.apache.zookeeper.
            org.apache.curator. org.apache.activemq. org.apache.pulsar. io.nats. org.zeromq.
            com.rabbitmq. redis.clients. io.lettuce. org.redisson. software.amazon.awssdk. com.amazonaws.
            # Databases, and their pools:
            org.h2. org.hsqldb. org.apache.derby. org.postgresql.
            com.mysql. org.mariadb. oracle.jdbc. oracle.net. com.microsoft.sqlserver. com.ibm.db2.
            com.mongodb. com.datastax. com.zaxxer.hikari. com.mchange. com.alibaba.druid.
            # Texts:
            com.fasterxml. tools.jackson. org.yaml.snakeyaml. org.antlr. org.apache.xerces.
            org.apache.xalan. org.dom4j. org.jsoup. com.thoughtworks.xstream. freemarker.
            org.thymeleaf. org.apache.poi. org.apache.pdfbox. org.apache.velocity.
            # Security:
            org.apache.shiro. org.bouncycastle. com.nimbusds. io.jsonwebtoken. com.auth0.
            # Logs, metrics and traces:
            org.slf4j. org.apache.logging. org.apache.log4j. ch.qos.logback. io.micrometer.
            io.opentelemetry. io.prometheus.
            # Builds and tools:
            org.apache.maven. org.gradle. worker.org.gradle. com.intellij. org.eclipse.jdt.
            org.jacoco.
            """;

    /** Packages of libraries of native code, as {@link #PREFIXES}. */
    private static final String[] NATIVE =
            """
            com.github.luben. org.rocksdb. org.xerial. net.jpountz. org.lmdbjava. org.bytedeco. \
            org.tensorflow. org.opencv. org.lwjgl. org.sqlite. org.duckdb. org.conscrypt. \
            org.fusesource.leveldbjni. org.apache.arrow.memory. io.netty.internal.tcnative. \
            ai.onnxruntime. ai.djl. com.aayushatharva.brotli4j. com.sun.jna.\
            """
                    .split(" ");

    /** In the order of the alphabet, without those that lie below another. */
    private static final String[] SORTED = sorted();

    /** Parts of the names of classes that libraries or the JDK derive from an application's. */
    private static final String[] GENERATED = {
        "$MockitoMock$", "$ByteBuddy$", "$$EnhancerBy", "$$FastClassBy", "$$SpringCGLIB$$",
        "$HibernateProxy$", "_$$_jvst", "$$_WeldClientProxy", "_ClientProxy", "$Proxy$_$$_",
        "$$TypeSwitch"
    };

    /**
     * A proxy of the JDK, in any package; a script without a name, and what its body is made of.
     */
    private static final Pattern UNNAMED =
            Pattern.compile("(.*\\.)?\\$Proxy\\d*|Script\\d+(\\$.*)?");

    private LibraryCode() {}

    private static String[] sorted() {
        Stream<String> libraries =
                PREFIXES.lines()
                        .filter(line -> !line.startsWith("#"))
                        .flatMap(line -> Stream.of(line.split(" ")));
        String[] all =
                Stream.of(Stream.of(JDK), Stream.of(NATIVE), libraries)
                        .flatMap(each -> each)
                        .sorted()
                        .toArray(String[]::new);
        return Arrays.stream(all)
                .filter(name -> Arrays.stream(all).noneMatch(other -> isBelow(name, other)))
                .toArray(String[]::new);
    }

    private static boolean isBelow(String name, String other) {
        return name.startsWith(other) && !name.equals(other);
    }

    /** Returns whether a class is the reader's own: of no known library, and not generated. */
    public static boolean isOwn(String className) {
        return !includes(className) && !isGenerated(className);
    }

    /** Returns whether a class, or a method with its class, has a name of the JDK. */
    public static boolean isOfJdk(String name) {
        return isBelow(name, JDK);
    }

    /** Returns whether a class belongs to a library of native code that is known here. */
    public static boolean isOfNative(String className) {
        return isBelow(className, NATIVE);
    }

    /** Returns the packages of the libraries of native code that are known here. */
    public static List<String> nativePackages() {
        return Stream.of(NATIVE).map(name -> name.substring(0, name.length() - 1)).toList();
    }

    private static boolean isBelow(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a class belongs to a library that is known here. */
    public static boolean includes(String className) {
        int index = Arrays.binarySearch(SORTED, className);
        int before = index >= 0 ? index : -index - 2; // the last one that is not greater
        return before >= 0 && className.startsWith(SORTED[before]);
    }

    /**
     * Returns whether a library has generated a class; it may be in a package of the application.
     */
    public static boolean isGenerated(String className) {
        for (String part : GENERATED) {
            if (className.contains(part)) {
                return true;
            }
        }
        // Nearly no name is worth the pattern.
        boolean mayBe = className.contains("$Proxy") || className.startsWith("Script");
        return mayBe && UNNAMED.matcher(className).matches();
    }
}

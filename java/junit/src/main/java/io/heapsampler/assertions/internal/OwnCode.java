// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which frames are those of the author's own code.
 *
 * @param patterns of classes, of which one must match; empty for all that belong to no library that
 *     is known here
 */
public record OwnCode(List<Pattern> patterns) {

    /** Nobody has said anything. */
    public static final OwnCode DEFAULT = new OwnCode(List.of());

    /** What nobody wrote for this application: languages, tests, mocks, containers, tools. */
    private static final String[] LIBRARIES = {
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "com.sun.",
        "jakarta.",
        "kotlin.",
        "kotlinx.",
        "scala.",
        "groovy.",
        "groovyjarjar",
        "clojure.",
        "org.codehaus.groovy.",
        "org.apache.groovy.",
        "org.junit.",
        "junit.framework.",
        "junit.extensions.",
        "junit.runner.",
        "org.testng.",
        "org.spockframework.",
        "spock.",
        "io.kotest.",
        "io.cucumber.",
        "net.jqwik.",
        "org.opentest4j.",
        "org.hamcrest.",
        "org.assertj.",
        "com.google.common.truth.",
        "org.awaitility.",
        "org.testcontainers.",
        "org.mockito.",
        "org.easymock.",
        "org.powermock.",
        "io.mockk.",
        "org.jmock.",
        "net.bytebuddy.",
        "net.sf.cglib.",
        "javassist.",
        "org.objenesis.",
        "org.aspectj.",
        "org.springframework.",
        "io.micronaut.",
        "io.quarkus.",
        "org.jboss.",
        "org.hibernate.",
        "com.google.inject.",
        "com.google.common.",
        "reactor.",
        "io.reactivex.",
        "io.netty.",
        "org.apache.maven.",
        "org.apache.commons.",
        "org.gradle.",
        "worker.org.gradle.",
        "com.intellij.",
        "org.eclipse.jdt.",
        "org.slf4j.",
        "org.apache.logging.",
        "ch.qos.logback.",
        "com.fasterxml.jackson.",
        "tools.jackson."
    };

    /** Parts of the names of classes that libraries make of the author's own. */
    private static final String[] GENERATED = {
        "$MockitoMock$", "$ByteBuddy$", "$$EnhancerBy", "$$FastClassBy", "$$SpringCGLIB$$",
        "$HibernateProxy$", "_$$_jvst", "$$_WeldClientProxy", "_ClientProxy", "$Proxy$_$$_"
    };

    /** Returns the frame nearest the leaf; null if there is none. */
    @Nullable StackTraceElement first(List<StackTraceElement> stack) {
        for (StackTraceElement frame : stack) {
            if (includes(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    /** Is a class one of the author's own? */
    boolean includes(String className) {
        if (isProxy(className)) {
            return false;
        }
        return patterns.isEmpty()
                ? !isOfLibrary(className)
                : patterns.stream().anyMatch(pattern -> pattern.matches(className));
    }

    private static boolean isOfLibrary(String className) {
        for (String prefix : LIBRARIES) {
            if (className.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** A proxy of the JDK, in any package, or a class made by a library. */
    private static boolean isProxy(String className) {
        for (String part : GENERATED) {
            if (className.contains(part)) {
                return true;
            }
        }
        return className.substring(className.lastIndexOf('.') + 1).matches("\\$Proxy\\d*");
    }
}

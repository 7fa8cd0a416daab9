// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.internal.Rule;
import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;

/**
 * Interceptors of other extensions that JUnit calls between ours and the body of a test, since they
 * are registered later. Nothing of ours can see whether they have the body run in another thread,
 * of which nothing would count.
 */
final class InnerInterceptors {

    private static final Set<String> INTERCEPTIONS =
            Set.of("interceptTestMethod", "interceptTestTemplateMethod", "interceptDynamicTest");

    private InnerInterceptors() {}

    /**
     * Refuses to measure one thread where there is such an interceptor. To be called where ours is.
     *
     * @throws ExtensionConfigurationException with its name
     */
    static void refuse(TestCase test, List<Rule> rules, ExtensionContext context) {
        Rule rule =
                rules.stream()
                        .filter(each -> each.scope().threads() == ThreadScope.TEST)
                        .findFirst()
                        .orElse(null);
        String inner = rule == null ? "" : first(test, context);
        if (rule != null && !inner.isEmpty()) {
            throw new ExtensionConfigurationException(problem(test, rule, inner));
        }
    }

    private static String problem(TestCase test, Rule rule, String inner) {
        return "At "
                + Placement.place(test.method())
                + ": "
                + rule.name()
                + " counts the thread of the test, and the extension "
                + inner
                + " is called between HeapSampler and the body of the test, where it may change the"
                + " thread. Register it before HeapSampler: with the class or in a static field,"
                + " while the limit is at the test. Or let all threads count, with threads = ALL.";
    }

    /** Returns the name of one; empty if there is none. */
    private static String first(TestCase test, ExtensionContext context) {
        List<Class<?>> interceptors =
                Extensions.foreign(test, context).stream()
                        .filter(InnerInterceptors::isInterceptor)
                        .toList();
        Set<Class<?>> callers = interceptors.isEmpty() ? Set.of() : callers();
        return interceptors.stream()
                .filter(type -> callers.stream().noneMatch(each -> isOf(each, type)))
                .map(Class::getName)
                .findFirst()
                .orElse("");
    }

    private static boolean isInterceptor(Class<?> type) {
        return Extensions.hasAny(type, InvocationInterceptor.class, INTERCEPTIONS);
    }

    /** Those of an outer one are among them, even if it has changed the thread. */
    private static Set<Class<?>> callers() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(
                        frames ->
                                frames.map(StackFrame::getDeclaringClass)
                                        .filter(type -> type != InvocationInterceptor.class)
                                        .collect(Collectors.toSet()));
    }

    /** Is a class on the stack that of an extension, one that it inherits from, or is inside? */
    private static boolean isOf(Class<?> caller, Class<?> extension) {
        for (Class<?> each = caller; each != null; each = each.getEnclosingClass()) {
            if (each == extension) {
                return true;
            }
        }
        return InvocationInterceptor.class.isAssignableFrom(caller)
                && caller.isAssignableFrom(extension);
    }
}

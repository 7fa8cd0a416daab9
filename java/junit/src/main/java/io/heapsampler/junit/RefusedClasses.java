// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ApiStatus;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.hierarchical.EngineExecutionContext;
import org.junit.platform.engine.support.hierarchical.Node;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * Fails each test class that cannot be measured as it is written. JUnit reads extensions from
 * annotations on tests and classes only. It would ignore an annotation of this package on another
 * method, or on a method that a test overrides, and a JUnit before 5.12 cannot read them at all.
 * All other classes of the test plan run.
 *
 * <p>JUnit's launcher finds this class by itself. It sees classes with tests only: an annotation on
 * a class in which JUnit finds no test is as silent as that class.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.INTERNAL, since = "0.1")
public final class RefusedClasses implements PostDiscoveryFilter {

    private static final String JUPITER = "junit-jupiter";

    /** Made by JUnit's launcher. */
    public RefusedClasses() {}

    /**
     * Replaces a class that cannot be measured with one that fails. Filters nothing out.
     *
     * @param descriptor a class or anything else that was found
     * @return always that it is included
     */
    @Override
    public FilterResult apply(TestDescriptor descriptor) {
        if (descriptor.getSource().orElse(null) instanceof ClassSource source
                && descriptor.getUniqueId().getEngineId().filter(JUPITER::equals).isPresent()) {
            String problem = problem(source);
            if (!problem.isEmpty()) {
                RefusedClass.replace(descriptor, problem);
            }
        }
        return FilterResult.included("not for us to decide");
    }

    /** Returns why a class is refused; empty if it is not, or if JUnit itself cannot read it. */
    private static String problem(ClassSource source) {
        try {
            return Placement.problem(source.getJavaClass());
        } catch (LinkageError | RuntimeException e) {
            return "";
        }
    }

    /**
     * A class that fails before any of its tests runs, as if a method with @BeforeAll had failed.
     */
    static final class RefusedClass extends AbstractTestDescriptor
            implements Node<EngineExecutionContext> {

        /** JUnit copies everything in such a class, and expects to find its own descriptors. */
        private static final String TEMPLATE = "class-template";

        private final Set<TestTag> tags;
        private final String problem;

        private RefusedClass(TestDescriptor refused, String problem) {
            super(
                    refused.getUniqueId(),
                    refused.getDisplayName(),
                    refused.getSource().orElse(null));
            this.tags = refused.getTags();
            this.problem = problem;
        }

        /** Puts one in the place of a class. */
        static void replace(TestDescriptor refused, String problem) {
            TestDescriptor outermost = refused;
            for (TestDescriptor each = refused;
                    each != null;
                    each = each.getParent().orElse(null)) {
                if (each.getUniqueId().getLastSegment().getType().equals(TEMPLATE)) {
                    outermost = each;
                }
            }
            TestDescriptor parent = outermost.getParent().orElse(null);
            if (parent != null) {
                parent.removeChild(outermost);
                parent.addChild(new RefusedClass(outermost, problem).withTestsOf(outermost));
            }
        }

        /**
         * Takes over the tests, which are what other filters look at: if they leave none of them,
         * the class is not run and does not fail.
         */
        private RefusedClass withTestsOf(TestDescriptor refused) {
            if (Placement.IS_JUNIT_SUPPORTED) { // else JUnit would read their annotations
                List.copyOf(refused.getChildren()).forEach(this::addChild);
            }
            return this;
        }

        @Override
        public Type getType() {
            return Type.CONTAINER;
        }

        @Override
        public Set<TestTag> getTags() {
            return tags;
        }

        /** Or JUnit would leave a class without tests away. */
        @Override
        public boolean mayRegisterTests() {
            return !Placement.IS_JUNIT_SUPPORTED;
        }

        @Override
        public EngineExecutionContext before(EngineExecutionContext context) {
            throw new ExtensionConfigurationException(problem);
        }
    }
}

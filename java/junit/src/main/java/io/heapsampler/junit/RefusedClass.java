// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.hierarchical.EngineExecutionContext;
import org.junit.platform.engine.support.hierarchical.Node;

/** A class that fails before any of its tests runs, as if a method with @BeforeAll had failed. */
final class RefusedClass extends AbstractTestDescriptor implements Node<EngineExecutionContext> {

    /** JUnit copies everything in such a class, and expects to find its own descriptors. */
    private static final String TEMPLATE = "class-template";

    private final Set<TestTag> tags;
    private final String problem;

    private RefusedClass(TestDescriptor refused, String problem) {
        super(refused.getUniqueId(), refused.getDisplayName(), refused.getSource().orElse(null));
        this.tags = refused.getTags();
        this.problem = problem;
    }

    /** Puts one in the place of a class. */
    static void replace(TestDescriptor refused, String problem) {
        TestDescriptor outermost = refused;
        for (TestDescriptor each = refused; each != null; each = each.getParent().orElse(null)) {
            if (isTemplate(each.getUniqueId())) {
                outermost = each;
            }
        }
        TestDescriptor parent = outermost.getParent().orElse(null);
        if (parent != null) {
            parent.removeChild(outermost);
            parent.addChild(new RefusedClass(outermost, problem).withTestsOf(outermost));
        }
    }

    private static boolean isTemplate(UniqueId id) {
        return id.getLastSegment().getType().equals(TEMPLATE);
    }

    /**
     * Takes over the tests, which are what other filters look at: if they leave none of them, the
     * class is not run and does not fail.
     */
    private RefusedClass withTestsOf(TestDescriptor refused) {
        if (JUnitVersion.IS_SUPPORTED) { // else JUnit would read their annotations
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
        return !JUnitVersion.IS_SUPPORTED;
    }

    @Override
    public EngineExecutionContext before(EngineExecutionContext context) {
        throw new ExtensionConfigurationException(problem);
    }
}

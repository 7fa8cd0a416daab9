// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/**
 * A field of a superclass, where fields of interfaces come before it in the numbering of the JVM.
 */
public final class InheritedField extends Case {
    private static final class Target {}

    private static Derived derived;

    private interface Marks {
        Object FIRST = new Object();
        Object SECOND = new Object();
    }

    private interface MoreMarks extends Marks {
        String THIRD = new String("third");
    }

    private static class Base implements MoreMarks {
        int number = 1;
        Object other = FIRST;
        Object held;
    }

    private static class Middle extends Base implements Marks {
        static Object unused = new Object();
        long size = 2;
        Object between = SECOND;
    }

    private static final class Derived extends Middle {
        final Object last = unused;
    }

    @Override
    public Object hold() throws Exception {
        derived = new Derived();
        derived.held = new Target();
        return derived.held;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "static InheritedField.derived: InheritedField$Derived > InheritedField$Base.held:"
                        + " InheritedField$Target");
    }
}

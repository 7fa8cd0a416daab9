// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** A value that a ClassValue has for a class: only a field of the java.lang.Class leads there. */
public final class ValueOfClass extends Case {
    private static final class Target {}

    private static final class Key {}

    private static final ClassValue<Target> VALUES =
            new ClassValue<>() {
                @Override
                protected Target computeValue(Class<?> type) {
                    return new Target();
                }
            };

    @Override
    public Object hold() throws Exception {
        return VALUES.get(Key.class);
    }

    @Override
    public Object atRoot() {
        return Key.class;
    }

    @Override
    public List<String> paths() {
        return List.of(
                "system-class: class ValueOfClass$Key > Class.classValueMap:"
                        + " ClassValue$ClassValueMap > ... > ClassValue$Entry.value:"
                        + " ValueOfClass$Target");
    }
}

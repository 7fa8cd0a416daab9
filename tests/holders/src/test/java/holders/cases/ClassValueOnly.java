// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.util.List;

/** What a {@link ClassValue} holds for a class: a field of its {@code Class} object leads there. */
public final class ClassValueOnly extends Case {
    private static final class Target {}

    private static final class Key {}

    private static final ClassValue<Target> VALUE =
            new ClassValue<>() {
                @Override
                protected Target computeValue(Class<?> type) {
                    return new Target();
                }
            };

    @Override
    public Object hold() throws Exception {
        return VALUE.get(Key.class);
    }

    @Override
    public List<String> paths() {
        return List.of(
                "system-class: class ClassValueOnly$Key > values: ClassValue$ClassValueMap > ... >"
                        + " ClassValue$Entry.value: ClassValueOnly$Target");
    }

    @Override
    public Object atRoot() {
        return Key.class;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.doctor;

import java.lang.reflect.Field;
import java.util.function.BiConsumer;

/** Until it is closed, every judgement of this JVM finds a leak of one label. */
public final class LabelledLeak implements AutoCloseable {

    private final TableRule rule;
    private final Object before;

    /** The sentence with the label. */
    public final String text;

    /** The label is such as {@code tenant=acme}. */
    public LabelledLeak(String label) throws ReflectiveOperationException {
        text = label + " is most.";
        rule = Rules.ALL.get(0);
        before = search().get(rule);
        BiConsumer<Situation, Facts> leak =
                (situation, facts) -> {
                    facts.severity = Severity.INFO;
                    facts.put("live.rise", 1, "bytes", "");
                    facts.put("label.explained", 1, "share", text);
                };
        search().set(rule, leak);
    }

    private static Field search() throws ReflectiveOperationException {
        Field field = TableRule.class.getDeclaredField("find");
        field.setAccessible(true);
        return field;
    }

    @Override
    public void close() throws ReflectiveOperationException {
        search().set(rule, before);
    }
}

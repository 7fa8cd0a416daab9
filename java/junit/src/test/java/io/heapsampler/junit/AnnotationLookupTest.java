// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;

/** What is found is what JUnit finds. */
class AnnotationLookupTest {

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    @Inherited
    @Repeatable(Marks.class)
    @interface Mark {
        String value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    @Inherited
    @interface Marks {
        Mark[] value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Mark("composed")
    @Own
    @interface Composed {}

    /** On itself, as some of the JDK are. */
    @Retention(RetentionPolicy.RUNTIME)
    @Own
    @interface Own {}

    @Retention(RetentionPolicy.RUNTIME)
    @Composed
    @interface ComposedTwice {}

    @Mark("direct")
    static class Direct {}

    @Mark("one")
    @Mark("other")
    static class Repeated {}

    static class Inheriting extends Repeated {}

    @ComposedTwice
    interface Contract {}

    static class Implementing implements Contract {}

    static class Grandchild extends Implementing {}

    static class Plain {

        @ComposedTwice
        void composed() {}

        @Mark("one")
        @Mark("other")
        void repeated() {}

        @Deprecated
        void without() {}
    }

    private static List<AnnotatedElement> elements() throws NoSuchMethodException {
        return List.of(
                Direct.class,
                Repeated.class,
                Inheriting.class,
                Contract.class,
                Implementing.class,
                Grandchild.class,
                Plain.class,
                Plain.class.getDeclaredMethod("composed"),
                Plain.class.getDeclaredMethod("repeated"),
                Plain.class.getDeclaredMethod("without"));
    }

    @Test
    void allKindsOfPresenceAreFound() throws Exception {
        for (AnnotatedElement element : elements()) {
            List<Mark> expected = AnnotationSupport.findRepeatableAnnotations(element, Mark.class);
            assertThat(AnnotationLookup.findRepeated(element, Mark.class))
                    .as(element.toString())
                    .isEqualTo(expected);
            assertThat(AnnotationLookup.findRepeated(element, Mark.class))
                    .as("%s once more", element)
                    .isEqualTo(expected);
            assertThat(AnnotationLookup.find(element, Mark.class))
                    .as(element.toString())
                    .isEqualTo(AnnotationSupport.findAnnotation(element, Mark.class));
            assertThat(AnnotationLookup.isAnnotated(element, Marks.class))
                    .as(element.toString())
                    .isEqualTo(AnnotationSupport.isAnnotated(element, Marks.class));
        }
    }

    @Test
    void whereNoneCanBeJUnitDoesNotSearch() throws Exception {
        AnnotatedElement without = Plain.class.getDeclaredMethod("without");

        assertThat(AnnotationLookup.mayHave(without, Mark.class)).isFalse();
        assertThat(AnnotationLookup.mayHave(Plain.class, Mark.class)).isFalse();
        assertThat(AnnotationLookup.mayHave(Grandchild.class, Mark.class)).isTrue();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A fact that limits the figures of a snapshot or a comparison: an id for programs and a text for
 * people.
 *
 * <pre>{@code
 * for (Note note : snapshot.notes()) {
 *     if (!note.id().equals("jdk-8356372")) { // expected on JDK 17 to 24
 *         System.out.println(note);
 *     }
 * }
 * }</pre>
 *
 * <p>An id keeps its meaning in all later versions. A text may change, and it may contain figures.
 * Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
@CheckReturnValue
public final class Note {

    private static final Pattern ID = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

    private final String id;
    private final String text;

    private Note(String id, String text) {
        this.id = id;
        this.text = text;
    }

    /**
     * Creates a note.
     *
     * @param id lower-case letters and digits, in words separated by hyphens, such as {@code
     *     few-samples}
     * @param text one or more sentences
     * @return the note
     * @throws IllegalArgumentException if the id has another form
     */
    public static Note of(String id, String text) {
        Objects.requireNonNull(text, "text");
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "the id of a note has lower-case letters, digits and hyphens: " + id);
        }
        return new Note(id, text);
    }

    /** {@return the id, such as {@code few-samples}, {@code thinned} or {@code jdk-8356372}} */
    public String id() {
        return id;
    }

    /** {@return the text: one or more sentences in English} */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Note that && id.equals(that.id) && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return 31 * id.hashCode() + text.hashCode();
    }

    /** {@return the text} */
    @Override
    public String toString() {
        return text;
    }
}

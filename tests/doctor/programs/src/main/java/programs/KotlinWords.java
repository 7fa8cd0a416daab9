// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.List;
import kotlin.collections.CollectionsKt;
import kotlin.sequences.SequencesKt;
import kotlin.text.StringsKt;

/** Sorts words with Kotlin's library. Arguments: seconds, texts per second. */
final class KotlinWords {

    private KotlinWords() {}

    public static void main(String... args) {
        Pace.of(args).at(Double.parseDouble(args[1]), number -> Garbage.sink = words());
    }

    private static List<String> words() {
        String text = Garbage.text(6_000);
        List<String> words =
                SequencesKt.toList(
                        SequencesKt.map(
                                SequencesKt.filter(
                                        StringsKt.splitToSequence(
                                                text, new String[] {" "}, false, 0),
                                        word -> !word.isBlank()),
                                word -> word + ": " + word.length()));
        return CollectionsKt.sorted(CollectionsKt.distinct(words));
    }
}

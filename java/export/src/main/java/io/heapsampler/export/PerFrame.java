// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A text for each frame of a snapshot, made once, however many stacks the frame is part of. */
final class PerFrame {

    private final List<HeapFrame> frames;
    private final @Nullable String[] made;
    private final Function<HeapFrame, String> make;

    PerFrame(HeapSnapshot snapshot, Function<HeapFrame, String> make) {
        this.frames = snapshot.frames();
        this.made = new String[frames.size()];
        this.make = make;
    }

    /** The texts of the stack of a site, leaf first; those beyond the limit have no stack. */
    String[] of(SiteRow row) {
        HeapSite site = row.site();
        if (site == null) {
            return new String[0];
        }
        int[] numbers = site.frameNumbers();
        String[] texts = new String[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            texts[i] = of(numbers[i]);
        }
        return texts;
    }

    private String of(int number) {
        String text = made[number];
        if (text == null) {
            text = make.apply(frames.get(number));
            made[number] = text;
        }
        return text;
    }
}

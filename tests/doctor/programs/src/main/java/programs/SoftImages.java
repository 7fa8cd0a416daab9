// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A cache of pictures behind soft references; each picture is larger than half a region of G1.
 * Arguments: seconds, requests per second, different pictures.
 */
final class SoftImages {

    private static final int BYTES = 1_500_000;
    private static final Map<Integer, SoftReference<byte[]>> IMAGES = new HashMap<>();

    private SoftImages() {}

    public static void main(String... args) {
        int different = Integer.parseInt(args[2]);
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(200);
                            int key = ThreadLocalRandom.current().nextInt(different);
                            SoftReference<byte[]> image = IMAGES.get(key);
                            if (image == null || image.get() == null) {
                                IMAGES.put(key, new SoftReference<>(load(key)));
                            }
                        });
    }

    private static byte[] load(int key) {
        byte[] image = new byte[BYTES];
        image[0] = (byte) key;
        return image;
    }
}

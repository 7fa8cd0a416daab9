// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.bytedeco.javacpp.BytePointer;
import programs.more.Load;

/**
 * Faulty: each frame of a camera is copied to native memory of JavaCPP and never closed; at its
 * limit JavaCPP calls {@code System.gc()} before it allocates more.
 */
public final class CameraFrames {

    private static final int FRAMES_A_SECOND = 100;

    private static final int SIZE = 640 * 480 * 3;

    private static final int TRACKS = 150_000;

    private static long bright;

    private final Map<Integer, String> tracks = new HashMap<>();

    private final byte[] pixels = new byte[SIZE];

    private final byte[] row = new byte[640 * 3];

    private CameraFrames() {
        new Random(1).nextBytes(pixels);
        for (int i = 0; i < TRACKS; i++) {
            tracks.put(i, "track " + i);
        }
    }

    private BytePointer copy() {
        return new BytePointer(SIZE).put(pixels, 0, SIZE);
    }

    private int look(int number) {
        BytePointer frame = copy();
        frame.position((number % 480) * (long) row.length).get(row, 0, row.length);
        int count = 0;
        for (byte value : row) {
            count += value > 100 ? 1 : 0;
        }
        tracks.put(number % TRACKS, "track " + number + " with " + count);
        return count;
    }

    public static void main(String... args) {
        CameraFrames camera = new CameraFrames();
        Load.at(FRAMES_A_SECOND, args, number -> bright += camera.look(number));
        System.out.println("bright " + bright + ", tracks " + camera.tracks.size());
    }
}

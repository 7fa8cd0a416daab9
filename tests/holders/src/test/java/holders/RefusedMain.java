// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeldBy;
import io.heapsampler.SamplerOptions;
import io.heapsampler.support.Until;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A JVM to which the system refuses a child, or leaves no memory for one: it gets another answer.
 */
public final class RefusedMain {

    /** In bytes, of 1 KiB each. */
    private static final int LARGE = 150 << 20;

    private static final int SMALL = 2 << 20;
    private static final int INTERVAL = 1 << 16;
    private static final int PATIENCE_SECONDS = 60;
    private static final Duration TIME = Duration.ofSeconds(20);
    private static final List<byte[]> HELD = new ArrayList<>();

    private RefusedMain() {}

    /**
     * Searches where there can be no child.
     *
     * @param arguments {@code fork} the system refuses it; or {@code room} and two files, which are
     *     there as soon as this process is in a group of its own, and as soon as the group has a
     *     limit
     */
    public static void main(String[] arguments) throws Exception {
        boolean isRoom = arguments[0].equals("room");
        if (isRoom) {
            await("begun", arguments[1]);
        }
        HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).maxOverhead(1).build());
        for (int bytes = 0; bytes < (isRoom ? LARGE : SMALL); bytes += 1 << 10) {
            HELD.add(new byte[1 << 10]);
        }
        Leftovers before = Leftovers.now();
        if (isRoom) {
            System.gc(); // the next one copies nothing to where no memory is yet
            await("filled", arguments[2]);
        } else if (!Native.forbidForks()) {
            System.out.println("skipped: there is no seccomp");
            System.exit(0);
        }
        for (int i = 0; i < 2; i++) {
            HeldBy held = Question.withoutOneStop(TIME);
            System.out.println(
                    "refused "
                            + Question.figures(held)
                            + " holders="
                            + held.holders().size()
                            + " unresolved="
                            + held.unresolved());
        }
        List<String> left = before.since();
        System.out.println("left " + left);
        System.exit(left.isEmpty() ? 0 : 1);
    }

    private static void await(String word, String file) throws Exception {
        System.out.println(word);
        if (!Until.within(PATIENCE_SECONDS, () -> Files.exists(Path.of(file)))) {
            throw new IllegalStateException(file + " is not there");
        }
    }
}

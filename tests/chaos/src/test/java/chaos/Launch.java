// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.support.JvmProcess.Companion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What is to be run, and how.
 *
 * @param name of the cell
 * @param flags of the JVM
 * @param main class and arguments
 * @param environment more of it
 * @param companion what is done to it meanwhile
 * @param seconds after which it hangs
 */
record Launch(
        String name,
        Target target,
        List<String> flags,
        List<String> main,
        Map<String, String> environment,
        Companion companion,
        int seconds) {

    /** A JVM that checks JNI. */
    static Launch of(String name, Target target, Class<?> main, String... arguments) {
        List<String> all = new ArrayList<>(List.of(main.getName()));
        all.addAll(List.of(arguments));
        return new Launch(name, target, List.of("-Xcheck:jni"), all, Map.of(), Companion.NONE, 120);
    }

    Launch flags(List<String> more) {
        List<String> both = new ArrayList<>(flags);
        both.addAll(more);
        return new Launch(name, target, both, main, environment, companion, seconds);
    }

    Launch with(Companion other) {
        return new Launch(name, target, flags, main, environment, other, seconds);
    }

    Launch within(int deadline) {
        return new Launch(name, target, flags, main, environment, companion, deadline);
    }

    /** For figures of memory: without checks, which need some, and with one malloc arena. */
    Launch measured() {
        Map<String, String> oneArena = Map.of("MALLOC_ARENA_MAX", "1");
        return new Launch(name, target, List.of(), main, oneArena, companion, seconds);
    }
}

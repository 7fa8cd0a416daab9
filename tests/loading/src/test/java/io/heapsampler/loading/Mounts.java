// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.loading;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands that run another one with a file system mounted for it alone: in a mount namespace of
 * its own, as root, or as any user where the kernel lets users have namespaces.
 */
final class Mounts {

    private static final List<List<String>> NAMESPACES =
            List.of(List.of("unshare", "-m"), List.of("unshare", "-r", "-m"));

    private static final String EXEC = " && exec \"$@\"";

    private Mounts() {}

    /** A file system that no program may run from, at this folder. */
    static List<String> noexec(Path at) throws IOException, InterruptedException {
        return in("mount -t tmpfs -o noexec none \"$0\"", at);
    }

    /** The folder, but it cannot be written to. */
    static List<String> readOnly(Path at) throws IOException, InterruptedException {
        return in("mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\"", at);
    }

    /** A file system with room for folders, but not for the library. */
    static List<String> full(Path at) throws IOException, InterruptedException {
        return in("mount -t tmpfs -o size=4k none \"$0\"", at);
    }

    private static List<String> in(String mount, Path at) throws IOException, InterruptedException {
        for (List<String> namespace : NAMESPACES) {
            List<String> command = new ArrayList<>(namespace);
            command.addAll(List.of("sh", "-c", mount + EXEC, at.toString()));
            if (works(command)) {
                return command;
            }
        }
        return abort("this user may not mount file systems, not even in a namespace of its own");
    }

    private static boolean works(List<String> command) throws IOException, InterruptedException {
        List<String> trial = new ArrayList<>(command);
        trial.add("true");
        try {
            return new ProcessBuilder(trial)
                            .redirectErrorStream(true)
                            .redirectOutput(Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // There is no unshare here.
        }
    }
}

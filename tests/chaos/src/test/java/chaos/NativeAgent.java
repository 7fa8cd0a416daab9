// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import java.lang.management.ManagementFactory;

/** The Java side of libhschaos.so, which the JVM has loaded as an agent. */
public final class NativeAgent {

    private static final String FLAG = "-agentpath:";

    private NativeAgent() {}

    /** Binds the methods; the library is the one of the flag. */
    static void load() {
        String flag =
                ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                        .filter(argument -> argument.startsWith(FLAG))
                        .findFirst()
                        .orElseThrow();
        System.load(flag.substring(FLAG.length()).replaceFirst("=.*", ""));
    }

    /** Binds the methods of the library, which has not been loaded as an agent. */
    static void load(String library) {
        System.load(library);
    }

    /** Returns how many events of all sorts it has got. */
    static native long events();

    /** Returns how many allocation samples it has got. */
    static native long samples();

    /** It takes the sampling capability; returns a JVMTI error number. */
    static native int takeSampling();

    /** It gives it back; returns a JVMTI error number. */
    static native int giveSamplingBack();

    /** Returns the bytes that malloc has given and not got back; -1 where it is unknown. */
    static native long mallocBytes();

    /** Returns, for each signal from 1 on, the address of its handler and its flags. */
    static native long[] signalHandlers();
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import io.heapsampler.doctor.SiteEvidence;
import java.util.List;
import java.util.Set;

/** Objects in the heap that own memory outside of it. By name: no class is loaded here. */
public final class OffHeap {

    private static final Set<String> OWNERS =
            Set.of(
                    "java.nio.DirectByteBuffer",
                    "java.nio.DirectByteBuffer$Deallocator",
                    "java.util.zip.Inflater",
                    "java.util.zip.Deflater",
                    "java.util.zip.Inflater$InflaterZStreamRef",
                    "java.util.zip.Deflater$DeflaterZStreamRef",
                    "java.util.zip.GZIPInputStream",
                    "java.util.zip.GZIPOutputStream",
                    "java.util.zip.InflaterInputStream",
                    "java.util.zip.DeflaterOutputStream",
                    "java.io.FileDescriptor",
                    "jdk.internal.ref.Cleaner",
                    "java.lang.Thread");

    private OffHeap() {}

    /** The classes for which a recording can filter. */
    static Set<String> classNames() {
        return OWNERS;
    }

    static boolean isOwner(String className) {
        return OWNERS.contains(className)
                || className.startsWith("java.util.zip.")
                || className.contains("Cleaner")
                || className.endsWith("ByteBuf")
                || className.endsWith("ByteBufferR");
    }

    /** Which owners are alive, or were not collected yet; those of a closer look come first. */
    public static List<SiteEvidence> owners(SiteBook history) {
        return SiteFigures.held(history, OffHeap::isOwner);
    }

    private static boolean isOwner(SiteMetrics site) {
        return isOwner(site.className()) && site.held().value() > 0;
    }
}

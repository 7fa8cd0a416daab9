// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertions.internal;

import io.heapsampler.HeapFrame;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Methods of the JDK that do what is done once in the life of a JVM, such as linking a call site:
 * whatever they and their callees allocate in a first run is not allocated in a second one. Methods
 * that look something up in a cache first are none; those that fill it are.
 */
final class JvmWork {

    /** What is done. */
    enum Kind {
        CLASSES("loading classes"),
        LINKAGE("linking lambdas and method handles"),
        CONSTANTS("resolving constants"),
        REFLECTION("preparing reflection"),
        BUNDLES("loading resource bundles and locales"),
        CHARSETS("setting up character sets"),
        LOGGERS("finding loggers"),
        SERIALIZATION("describing classes for serialization"),
        SERVICES("setting up services of the JDK");

        final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    private static final String PROXY_BUILDER = "java.lang.reflect.Proxy$ProxyBuilder";

    private static final String BUNDLE = "java.util.ResourceBundle";
    static final String LIST_BUNDLE = "java.util.ListResourceBundle";

    /** Where a class is made from its file, once for each loader. */
    static final String LOADER = "jdk.internal.loader.BuiltinClassLoader";

    /**
     * Kinds of work by class and method: a line each. Constructors have their descriptors where one
     * of them is meant: that of a stream's ObjectStreamClass is made on each reading.
     * getPackageName allocates only where it fills its cache.
     */
    private static final String TABLE =
            """
            LINKAGE java.lang.invoke.MethodHandleNatives linkCallSite linkMethod \
            linkMethodHandleConstant linkDynamicConstant findMethodHandleType \
            varHandleOperationLinkerMethod
            LINKAGE java.lang.invoke.VarForm resolveMemberName
            LINKAGE java.lang.invoke.DirectMethodHandle makePreparedLambdaForm ensureInitialized
            LINKAGE java.lang.ClassLoader findNative
            REFLECTION java.lang.Class reflectionData newReflectionData privateGetDeclaredFields \
            privateGetPublicFields privateGetDeclaredConstructors privateGetDeclaredMethods \
            privateGetPublicMethods createAnnotationData getGenericInfo initClassName \
            getSimpleName0 getCanonicalName0 getPackageName getInterfaces0 \
            getEnumConstantsShared enumConstantDirectory
            REFLECTION sun.reflect.generics.repository.ClassRepository computeSuperclass \
            computeSuperInterfaces
            REFLECTION java.lang.reflect.Method acquireMethodAccessor
            REFLECTION java.lang.reflect.Constructor acquireConstructorAccessor
            REFLECTION java.lang.reflect.Field acquireFieldAccessor acquireOverrideFieldAccessor
            REFLECTION jdk.internal.reflect.MethodAccessorGenerator generateMethod \
            generateConstructor
            CLASSES java.lang.reflect.Proxy$ProxyBuilder <init> build
            CLASSES jdk.internal.loader.BuiltinClassLoader defineClass
            BUNDLES java.util.ResourceBundle loadBundle loadBundleFromProviders \
            loadResourceBundle putBundleInCache
            BUNDLES java.util.ListResourceBundle loadLookup
            BUNDLES sun.util.resources.Bundles findBundleOf
            BUNDLES java.util.Calendar setWeekCountData
            BUNDLES java.time.format.DateTimeTextProvider createStore
            BUNDLES java.time.zone.TzdbZoneRulesProvider provideRules
            BUNDLES sun.util.resources.OpenListResourceBundle loadLookup \
            loadLookupTablesIfNecessary
            BUNDLES sun.util.locale.provider.LocaleProviderAdapter forType
            BUNDLES sun.util.locale.provider.JRELocaleProviderAdapter createLanguageTagSet
            BUNDLES sun.util.cldr.CLDRLocaleProviderAdapter createLanguageTagSet
            BUNDLES sun.util.calendar.ZoneInfoFile getZoneInfo0
            CHARSETS sun.nio.cs.StandardCharsets aliasMap cache classMap
            LOGGERS java.lang.System$LoggerFinder accessProvider getLoggerFinder
            LOGGERS jdk.internal.logger.LoggerFinderLoader getLoggerFinder accessProvider
            LOGGERS java.util.logging.LogManager ensureLogManagerInitialized \
            readPrimordialConfiguration initializeGlobalHandlers
            SERIALIZATION java.io.ObjectStreamClass <init>(Ljava/lang/Class;)V computeDefaultSUID
            SERIALIZATION java.io.ObjectStreamClass$Caches$1 computeValue
            SERVICES java.nio.file.spi.FileSystemProvider loadInstalledProviders
            SERVICES sun.security.jca.ProviderConfig getProvider
            SERVICES java.lang.management.ManagementFactory getPlatformMBeanServer
            """;

    private static final Map<String, Map<String, Kind>> ENTRIES =
            TABLE.lines()
                    .map(line -> List.of(line.split(" ")))
                    .collect(Collectors.toMap(words -> words.get(1), JvmWork::methods));

    private static final Set<String> PACKAGES =
            ModuleLayer.boot().modules().stream()
                    .filter(module -> isOfJdk(module.getClassLoader()))
                    .flatMap(module -> module.getPackages().stream())
                    .collect(Collectors.toUnmodifiableSet());

    /** Classes that implement interfaces for it, which stacks show without their numbers. */
    private static final Set<String> PROXIES = Set.of("jdk.proxy.$Proxy", "com.sun.proxy.$Proxy");

    private JvmWork() {}

    private static Map<String, Kind> methods(List<String> line) {
        Kind kind = Kind.valueOf(line.get(0));
        return line.stream().skip(2).collect(Collectors.toMap(method -> method, method -> kind));
    }

    private static boolean isOfJdk(@Nullable ClassLoader loader) {
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /** Is it a method of the JDK, or of a class that it makes for itself? */
    static boolean isOfJdk(HeapFrame frame) {
        String name = frame.className();
        int dot = name.lastIndexOf('.');
        return dot > 0 && (PACKAGES.contains(name.substring(0, dot)) || PROXIES.contains(name));
    }

    /** Returns what a method of the JDK does; null if that may be done often. */
    static @Nullable Kind kind(HeapFrame frame) {
        if (frame.methodName().equals("<clinit>")) {
            return Kind.CLASSES;
        }
        Map<String, Kind> kinds = ENTRIES.get(frame.className());
        if (kinds == null) {
            return null;
        }
        Kind kind = kinds.get(frame.methodName());
        return kind == null ? kinds.get(frame.methodName() + frame.descriptor()) : kind;
    }

    /** Is it a method of that name? */
    static boolean is(HeapFrame frame, String className, String methodName) {
        return frame.className().equals(className) && frame.methodName().equals(methodName);
    }

    /**
     * Does the JDK make code of its own for a method handle that was called often? It does so once
     * for each of them, at any run. Reflection calls method handles from JDK 18 on.
     */
    static boolean isTuning(List<HeapFrame> stack) {
        for (HeapFrame frame : stack) {
            if (is(frame, "java.lang.invoke.MethodHandle", "customize")) {
                return true;
            }
        }
        return false;
    }

    /** Does it make a class, which may be refused each time? */
    static boolean mayFail(HeapFrame frame) {
        return frame.className().equals(PROXY_BUILDER) || is(frame, LOADER, "defineClass");
    }

    /** Is it the initialisation of a class of the JDK, which a JVM does once? */
    static boolean isOnceInJvm(HeapFrame frame) {
        return frame.methodName().equals("<clinit>") && isOfJdk(frame);
    }

    /** Is it done once for each class or each loader, not once in a JVM? */
    static boolean isOfLoader(HeapFrame frame, Kind kind) {
        return switch (kind) {
            case CLASSES -> !isOnceInJvm(frame) && !frame.className().equals(LOADER);
            case LINKAGE, REFLECTION, SERIALIZATION -> true;
            default -> false;
        };
    }

    /** Does it find or fill bundles, which may be the JDK's own or the author's? */
    static boolean isOfBundle(HeapFrame frame) {
        return frame.className().startsWith(BUNDLE) || frame.className().equals(LIST_BUNDLE);
    }

    /** Does it make the JDK forget the bundles that it has found? */
    static boolean clearsBundles(HeapFrame frame) {
        return is(frame, BUNDLE, "clearCache");
    }

    /** Is it given a control, which decides how to find a bundle and how long to keep it? */
    static boolean takesControl(HeapFrame frame) {
        return frame.methodName().equals("getBundle")
                && frame.descriptor().contains("Ljava/util/ResourceBundle$Control;");
    }

    /** Does it call {@code values()} of the enum that it is about? */
    static boolean isAboutEnum(HeapFrame frame) {
        return is(frame, "java.lang.Class", "getEnumConstantsShared")
                || is(frame, "java.lang.Class", "enumConstantDirectory");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
import io.heapsampler.assertions.WhenNotMeasured;
import io.heapsampler.assertions.internal.BaselineRule.Share;
import io.heapsampler.assertions.internal.LeakRule;
import io.heapsampler.assertions.internal.OwnCode;
import io.heapsampler.assertions.internal.Pattern;
import io.heapsampler.assertions.internal.Settings;
import io.heapsampler.export.ExportFormat;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * The parameters {@code heapsampler.junit.*} of {@code junit-platform.properties} or the JVM; the
 * table of the package has them all.
 */
final class Configuration {

    /** When artifacts are written. */
    enum Artifacts {
        ON_FAILURE,
        ALWAYS,
        NEVER
    }

    /** Which verdicts are printed at the end of a run. */
    enum Shown {
        NOTABLE,
        ALL,
        NONE
    }

    /** Whether paths of files are printed as attachments. */
    enum Attachments {
        AUTO,
        ALWAYS,
        NEVER
    }

    /** What becomes of permissions that were never needed. */
    enum Unused {
        REPORT,
        FAIL
    }

    private static final Namespace NAMESPACE = Namespace.create(Configuration.class);
    private static final String PREFIX = "heapsampler.junit.";

    /**
     * Before the names in earlier builds. Such a parameter would have no effect, so it is refused.
     */
    private static final String OLD_PREFIX = "heapsampler.";

    private final ExtensionContext context;

    Configuration(ExtensionContext context) {
        this.context = context;
    }

    private <T> T value(String name, T otherwise, Function<String, T> parser) {
        requireNoOldSpelling(name);
        String key = PREFIX + name;
        String text = context.getConfigurationParameter(key).orElse("");
        if (text.isBlank()) {
            return otherwise;
        }
        try {
            return parser.apply(text.trim());
        } catch (IllegalArgumentException e) {
            String place =
                    System.getProperty(key) == null
                            ? "in junit-platform.properties, or in the build that sets it."
                            : "on the command line: -D" + key + "=" + text + ".";
            throw new ExtensionConfigurationException(
                    "The configuration parameter %s is wrong: %s Correct it %s"
                            .formatted(key, e.getMessage(), place),
                    e);
        }
    }

    private void requireNoOldSpelling(String name) {
        String old = OLD_PREFIX + name;
        if (context.getConfigurationParameter(old).isPresent()) {
            throw new ExtensionConfigurationException(
                    """
                    The configuration parameter %s has been renamed. Write %s%s instead.\
                    """
                            .formatted(old, PREFIX, name));
        }
    }

    /**
     * Looks at all of them, once in a run.
     *
     * @throws ExtensionConfigurationException if one is wrong; with its name and where it is set
     */
    void requireValid() {
        context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(Configuration.class, key -> validated(), Boolean.class);
    }

    private boolean validated() {
        settings();
        threads();
        iterations();
        perSite();
        tolerance();
        artifacts();
        formats();
        artifactsLimit();
        artifactsTestLimit();
        verdicts();
        attaches();
        updates();
        unused();
        List.of("verdicts.file", "suppressions", "baseline.directory")
                .forEach(this::requireNoOldSpelling);
        return true;
    }

    Settings settings() {
        Settings defaults = Settings.DEFAULT;
        return new Settings(
                value(
                        "whenNotMeasured",
                        defaults.whenNotMeasured(),
                        text -> constant(WhenNotMeasured.class, text)),
                value("interval", defaults.interval(), ByteSize::parse),
                value("sites", defaults.sites(), text -> number(text, 0, 20)),
                value("ownCode", defaults.ownCode(), Configuration::ownCode));
    }

    private static OwnCode ownCode(String text) {
        return new OwnCode(Pattern.all(text.trim().split("\\s*,\\s*")));
    }

    private static int number(String text, int least, int most) {
        if (text.matches("\\d{1,9}")
                && Integer.parseInt(text) >= least
                && Integer.parseInt(text) <= most) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(
                "\"" + text + "\" is no number from " + least + " to " + most + ".");
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String text) {
        String wanted = text.replace("_", "").toUpperCase(Locale.ROOT);
        for (E constant : type.getEnumConstants()) {
            if (constant.name().replace("_", "").equals(wanted)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(
                "\"" + text + "\" is none of " + Arrays.toString(type.getEnumConstants()) + ".");
    }

    private static boolean truth(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.equals("true") || lower.equals("false")) {
            return lower.equals("true");
        }
        throw new IllegalArgumentException("\"" + text + "\" is neither true nor false.");
    }

    /** Whose allocations count where an annotation does not say it. */
    ThreadScope threads() {
        return value("threads", ThreadScope.TEST, Configuration::threads);
    }

    private static ThreadScope threads(String text) {
        ThreadScope scope = constant(ThreadScope.class, text);
        if (scope == ThreadScope.ALL) {
            throw new IllegalArgumentException(
                    "ALL needs a lock, which JUnit finds at annotations only. Write threads ="
                            + " ThreadScope.ALL at the tests that need it.");
        }
        return scope == ThreadScope.DEFAULT ? ThreadScope.TEST : scope;
    }

    int iterations() {
        return value(
                "iterations",
                LeakRule.ITERATIONS,
                text -> number(text, LeakRule.FEWEST, LeakRule.MOST));
    }

    /** Bytes that a site may leave behind per iteration. */
    long perSite() {
        return value("perSite", LeakRule.PER_SITE, ByteSize::parse);
    }

    String tolerance() {
        return value(
                "tolerance",
                "10 %",
                text -> {
                    Share.of(text, 0);
                    return text;
                });
    }

    Artifacts artifacts() {
        return value("artifacts", Artifacts.ON_FAILURE, text -> constant(Artifacts.class, text));
    }

    List<ExportFormat> formats() {
        return value(
                "artifacts.formats",
                List.of(
                        ExportFormat.HTML,
                        ExportFormat.PPROF,
                        ExportFormat.COLLAPSED,
                        ExportFormat.JSON),
                text ->
                        Arrays.stream(text.split(","))
                                .map(String::trim)
                                .map(name -> constant(ExportFormat.class, name))
                                .distinct()
                                .toList());
    }

    /** All files of a run together. */
    long artifactsLimit() {
        return value("artifacts.limit", 100L << 20, ByteSize::parse);
    }

    /** All files of one test together. */
    long artifactsTestLimit() {
        return value("artifacts.testLimit", 20L << 20, ByteSize::parse);
    }

    /** Whether the build server that runs this looks for attachments in the output. */
    boolean attaches() {
        return attaches(System.getenv().keySet());
    }

    boolean attaches(Set<String> environment) {
        return switch (value(
                "artifacts.attachments",
                Attachments.AUTO,
                text -> constant(Attachments.class, text))) {
            case AUTO -> environment.contains("JENKINS_URL") || environment.contains("GITLAB_CI");
            case ALWAYS -> true;
            case NEVER -> false;
        };
    }

    /** Which verdicts are printed at the end of the run. */
    Shown verdicts() {
        return value("verdicts", Shown.NOTABLE, text -> constant(Shown.class, text));
    }

    /** The file to which all verdicts are appended; null if there is none. */
    @Nullable Path verdictsFile() {
        String file = value("verdicts.file", "", text -> text);
        return file.isEmpty() ? null : Path.of(file);
    }

    boolean updates() {
        return value("update", false, Configuration::truth);
    }

    String suppressions() {
        return value("suppressions", "", text -> text);
    }

    Unused unused() {
        return value("suppressions.unused", Unused.REPORT, text -> constant(Unused.class, text));
    }

    /** The file of a baseline. */
    Path baseline(String file, Class<?> type) {
        String name = file.isBlank() ? type.getName() + ".txt" : file;
        try {
            return file.isBlank()
                    ? Path.of(value("baseline.directory", "src/test/heapsampler", text -> text))
                            .resolve(name)
                    : Path.of(name);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(
                    "no file of this system can have the name of its baseline, "
                            + name.replaceAll("\\p{Cntrl}", "?")
                            + ": "
                            + e.getReason()
                            + ". Set another with file, or run the JVM in a locale with all"
                            + " letters, such as LC_ALL=C.UTF-8.",
                    e);
        }
    }
}

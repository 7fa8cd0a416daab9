// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.ByteSize;
import io.heapsampler.assertions.ThreadScope;
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
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * The parameters {@code heapsampler.junit.*} of {@code junit-platform.properties} or the JVM; the
 * table of the package has them all. Immutable, one for each run.
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

    private static final List<ExportFormat> FORMATS =
            List.of(
                    ExportFormat.HTML,
                    ExportFormat.PPROF,
                    ExportFormat.COLLAPSED,
                    ExportFormat.JSON);

    /**
     * Before the names in earlier builds. Such a parameter would have no effect, so it is refused.
     */
    private static final String OLD_PREFIX = "heapsampler.";

    private final ExtensionContext context;

    final Settings settings;

    /** Whose allocations count where an annotation does not say it. */
    final ThreadScope threads;

    final int iterations;

    /** Bytes that a site may leave behind per iteration. */
    final long perSite;

    final String tolerance;

    /** Where baselines are that name no file. */
    private final String baselines;

    final boolean updates;
    final Artifacts artifacts;
    final List<ExportFormat> formats;

    /** All files of a run together. */
    final long artifactsLimit;

    /** All files of one test together. */
    final long artifactsTestLimit;

    /** Whether the build server that runs this looks for attachments in the output. */
    final boolean attaches;

    /** Which verdicts are printed at the end of the run. */
    final Shown verdicts;

    /** The file to which all verdicts are appended. */
    final Optional<Path> verdictsFile;

    /** The file of permissions to leak. */
    final Optional<Path> suppressions;

    final Unused unused;

    private Configuration(ExtensionContext context) {
        this.context = context;
        Settings defaults = Settings.DEFAULT;
        settings =
                new Settings(
                        constant("whenNotMeasured", defaults.whenNotMeasured()),
                        value("interval", defaults.interval(), ByteSize::parse),
                        value("sites", defaults.sites(), text -> number(text, 0, 20)),
                        value("ownCode", defaults.ownCode(), Configuration::ownCode),
                        value("holders", defaults.holders(), Configuration::truth));
        threads = value("threads", ThreadScope.TEST, Configuration::threads);
        iterations =
                value(
                        "iterations",
                        LeakRule.ITERATIONS,
                        text -> number(text, LeakRule.FEWEST, LeakRule.MOST));
        perSite = value("perSite", LeakRule.PER_SITE, ByteSize::parse);
        tolerance = value("tolerance", "10 %", Configuration::tolerance);
        baselines = value("baseline.directory", "src/test/heapsampler", text -> text);
        updates = value("update", false, Configuration::truth);
        artifacts = constant("artifacts", Artifacts.ON_FAILURE);
        formats = value("artifacts.formats", FORMATS, Configuration::formats);
        artifactsLimit = value("artifacts.limit", 100L << 20, ByteSize::parse);
        artifactsTestLimit = value("artifacts.testLimit", 20L << 20, ByteSize::parse);
        attaches = attaches(constant("artifacts.attachments", Attachments.AUTO));
        verdicts = constant("verdicts", Shown.NOTABLE);
        verdictsFile = file("verdicts.file");
        suppressions = file("suppressions");
        unused = constant("suppressions.unused", Unused.REPORT);
    }

    /**
     * Returns the parameters, which are read once in a run.
     *
     * @throws ExtensionConfigurationException if one is wrong; with its name and where it is set
     */
    static Configuration of(ExtensionContext context) {
        ExtensionContext run = context.getRoot(); // that of a test would keep its instance alive
        return ofRun(run, Configuration.class, () -> new Configuration(run));
    }

    /** Returns the only object of a class in a run; it is made when it is first needed. */
    static <T> T ofRun(ExtensionContext context, Class<T> type, Supplier<T> maker) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(type, key -> maker.get(), type);
    }

    private <T> T value(String name, T otherwise, Function<String, T> parser) {
        if (context.getConfigurationParameter(OLD_PREFIX + name).isPresent()) {
            throw new ExtensionConfigurationException(
                    "The configuration parameter %s%s has been renamed. Write %s%s instead."
                            .formatted(OLD_PREFIX, name, PREFIX, name));
        }
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

    private Optional<Path> file(String name) {
        return value(name, Optional.empty(), text -> Optional.of(Path.of(text)));
    }

    private <E extends Enum<E>> E constant(String name, E otherwise) {
        return value(name, otherwise, text -> constant(otherwise.getDeclaringClass(), text));
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

    private static ThreadScope threads(String text) {
        ThreadScope scope = constant(ThreadScope.class, text);
        if (scope == ThreadScope.ALL) {
            throw new IllegalArgumentException(
                    "ALL needs a lock, which JUnit finds at annotations only. Write threads ="
                            + " ThreadScope.ALL at the tests that need it.");
        }
        return scope == ThreadScope.DEFAULT ? ThreadScope.TEST : scope;
    }

    private static String tolerance(String text) {
        Share.of(text, 0);
        return text;
    }

    private static List<ExportFormat> formats(String text) {
        return Arrays.stream(text.split(","))
                .map(name -> constant(ExportFormat.class, name.trim()))
                .distinct()
                .toList();
    }

    private static boolean attaches(Attachments choice) {
        return choice == Attachments.ALWAYS
                || (choice == Attachments.AUTO
                        && (System.getenv("JENKINS_URL") != null
                                || System.getenv("GITLAB_CI") != null));
    }

    /** The file of a baseline. */
    Path baseline(String file, Class<?> type) {
        String name = file.isBlank() ? type.getName() + ".txt" : file;
        try {
            return file.isBlank() ? Path.of(baselines, name) : Path.of(name);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(
                    """
                    no file of this system can have the name of its baseline, %s: %s. Set another \
                    with file, or run the JVM in a locale with all letters, such as \
                    LC_ALL=C.UTF-8.\
                    """
                            .formatted(name.replaceAll("\\p{Cntrl}", "?"), e.getReason()),
                    e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.WhenNotMeasured;
import io.heapsampler.assertions.internal.Bytes;
import io.heapsampler.assertions.internal.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The parameters {@code heapsampler.*} of {@code junit-platform.properties} or the JVM. */
final class Configuration {

    /** When artifacts are written. */
    enum Artifacts {
        ON_FAILURE,
        ALWAYS,
        NEVER
    }

    /** What becomes of permissions that were never needed. */
    enum Unused {
        REPORT,
        FAIL
    }

    private static final String PREFIX = "heapsampler.";

    private final ExtensionContext context;

    Configuration(ExtensionContext context) {
        this.context = context;
    }

    private <T> T value(String name, T otherwise, Function<String, T> parser) {
        String text = context.getConfigurationParameter(PREFIX + name).orElse("");
        if (text.isBlank()) {
            return otherwise;
        }
        try {
            return parser.apply(text.trim());
        } catch (IllegalArgumentException e) {
            throw new ExtensionConfigurationException(
                    "The configuration parameter "
                            + PREFIX
                            + name
                            + " is wrong: "
                            + e.getMessage()
                            + " Correct it in junit-platform.properties or on the command line.",
                    e);
        }
    }

    Settings settings() {
        Settings defaults = Settings.DEFAULT;
        return new Settings(
                value("warmup", defaults.warmup(), text -> number(text, 0)),
                value("minOf", defaults.minOf(), text -> number(text, 1)),
                value(
                        "warmup.millis",
                        defaults.budget(),
                        text -> Duration.ofMillis(number(text, 0))),
                value(
                        "whenNotMeasured",
                        defaults.whenNotMeasured(),
                        text -> constant(WhenNotMeasured.class, text)),
                value("interval", defaults.interval(), Bytes::parse),
                value("sites", defaults.sites(), text -> Math.min(number(text, 0), 20)));
    }

    private static int number(String text, int least) {
        if (text.matches("\\d{1,9}") && Integer.parseInt(text) >= least) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(
                "\"" + text + "\" is no number from " + least + " to 999999999.");
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

    Artifacts artifacts() {
        return value("artifacts", Artifacts.ON_FAILURE, text -> constant(Artifacts.class, text));
    }

    long artifactsLimit() {
        return value("artifacts.limit", 100L << 20, Bytes::parse);
    }

    boolean attaches() {
        return value("artifacts.attachments", true, Boolean::parseBoolean);
    }

    boolean updates() {
        return value("update", false, Boolean::parseBoolean);
    }

    String suppressions() {
        return value("suppressions", "", text -> text);
    }

    Unused unused() {
        return value("suppressions.unused", Unused.REPORT, text -> constant(Unused.class, text));
    }

    /** The file of a baseline. */
    Path baseline(String file, Class<?> type) {
        if (!file.isBlank()) {
            return Path.of(file);
        }
        return Path.of(value("baseline.directory", "src/test/heapsampler", text -> text))
                .resolve(type.getName() + ".txt");
    }
}

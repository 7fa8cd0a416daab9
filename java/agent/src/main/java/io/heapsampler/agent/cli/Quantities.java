// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.agent.Option;
import io.heapsampler.internal.shared.OnlyLabel;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times and byte sizes as users write them. */
final class Quantities {

    private Quantities() {}

    /** Reads {@code 30}, {@code 30s}, {@code 5m}, {@code 1h} or {@code 500ms}. */
    static final class Time implements ITypeConverter<Duration> {

        private static final Pattern FORM = Pattern.compile("(\\d{1,6})(ms|s|m|h|)");

        @Override
        public Duration convert(String text) {
            Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
            if (matcher.matches()) {
                long number = Long.parseLong(matcher.group(1));
                Duration time =
                        switch (matcher.group(2)) {
                            case "ms" -> Duration.ofMillis(number);
                            case "m" -> Duration.ofMinutes(number);
                            case "h" -> Duration.ofHours(number);
                            default -> Duration.ofSeconds(number);
                        };
                if (!time.isZero()) {
                    return time;
                }
            }
            throw new TypeConversionException(
                    "'" + text + "' is not a time: write a number and ms, s, m or h, such as 30s");
        }
    }

    /** Reads {@code tenant=acme}, or {@code tenant=} for the samples without the key. */
    static final class Label implements ITypeConverter<OnlyLabel> {

        @Override
        public OnlyLabel convert(String text) {
            try {
                return OnlyLabel.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** Reads the mean bytes between two samples: {@code 64k} or {@code 65536}. */
    static final class Interval implements ITypeConverter<Long> {

        @Override
        public Long convert(String written) {
            try {
                return Option.parseBytes(written);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "'" + written + "' is not an interval: write bytes, such as 65536 or 64k");
            }
        }
    }
}

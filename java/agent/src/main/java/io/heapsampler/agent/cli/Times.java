// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent.cli;

import io.heapsampler.export.cli.FailureException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times as people write them: {@code 30}, {@code 30s}, {@code 5m}, {@code 1h}. */
final class Times implements ITypeConverter<Duration> {

    /** How often a display is renewed at least. */
    static final Duration TICK = Duration.ofMillis(200);

    private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s|m|h|)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = TIME.matcher(text.toLowerCase(Locale.ROOT));
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
                "'" + text + "' is no time: write a number and ms, s, m or h, such as 30s");
    }

    /** Lets some time pass. */
    static void pause(Duration time) throws FailureException {
        try {
            Thread.sleep(Math.max(1, time.toMillis()));
        } catch (InterruptedException e) {
            throw new FailureException("Interrupted.", e);
        }
    }

    /** Such as {@code 01:23:45}. */
    static String clock(Duration time) {
        return String.format(
                Locale.ROOT,
                "%02d:%02d:%02d",
                time.toHours(),
                time.toMinutesPart(),
                time.toSecondsPart());
    }
}

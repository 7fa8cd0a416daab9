// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.Unavailability;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.GcDoctor;
import io.heapsampler.doctor.Severity;
import io.heapsampler.push.ProfilePush;
import io.heapsampler.push.PushBuilder;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.NativeDetector;

/**
 * The sampler, the doctor and the pushes, from the start of an application context to its end.
 * Contexts of one JVM share the application's hold of the sampler, and the last one that is closed
 * releases it. A JVM that cannot be sampled is logged, and the application starts. An invalid
 * property ends the start, as with all properties of Spring Boot.
 */
final class HeapSamplerLifecycle implements AutoCloseable {

    private static final System.Logger LOGGER = System.getLogger("io.heapsampler.spring");

    private static final Object LOCK = new Object();

    /** The contexts that sample. Guarded by LOCK. */
    private static int contexts;

    /** In the order in which they end. Used by the thread that refreshes or closes the context. */
    private final Deque<Runnable> ends = new ArrayDeque<>();

    HeapSamplerLifecycle(HeapSamplerProperties properties, String applicationName) {
        if (NativeDetector.inNativeImage()) {
            LOGGER.log(System.Logger.Level.DEBUG, "A native image has no heap sampler.");
            return;
        }
        try {
            if (startSampler(properties)) {
                startDoctor(properties.doctor());
                startPushes(properties.push(), applicationName);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private boolean startSampler(HeapSamplerProperties properties) {
        SamplerOptions options = options(properties, true);
        synchronized (LOCK) {
            Unavailability reason;
            try {
                reason = HeapSampler.tryStart(options);
            } catch (IllegalArgumentException e) {
                warn("There will be no heapsampler.report-near-limit. " + e.getMessage());
                reason = tryStartOrJoin(options(properties, false));
            } catch (IllegalStateException e) {
                reason = join(e);
            }
            if (reason != null) {
                warn("The heap of this application is not sampled. " + reason.text());
                return false;
            }
            contexts++;
        }
        ends.push(HeapSamplerLifecycle::stopSampler);
        return true;
    }

    private static @Nullable Unavailability tryStartOrJoin(SamplerOptions options) {
        try {
            return HeapSampler.tryStart(options);
        } catch (IllegalStateException e) {
            return join(e);
        }
    }

    /** An agent, or another context, runs the sampler with other options. */
    private static @Nullable Unavailability join(IllegalStateException e) {
        warn(
                "The sampler is running already, and the properties heapsampler.* of this context"
                        + " do not change it. "
                        + e.getMessage());
        return HeapSampler.tryStart();
    }

    private static void stopSampler() {
        synchronized (LOCK) {
            contexts--;
            if (contexts == 0) {
                HeapSampler.stop();
            }
        }
    }

    private static SamplerOptions options(HeapSamplerProperties properties, boolean hasReport) {
        SamplerOptions.Builder builder = SamplerOptions.builder();
        set("interval", properties.interval(), value -> builder.interval(value.toBytes()));
        set("max-overhead", properties.maxOverhead(), builder::maxOverhead);
        set("max-tracked", properties.maxTracked(), builder::maxTracked);
        if (hasReport && properties.reportNearLimit() != null) {
            var file = properties.reportNearLimit();
            double share = properties.nearLimitShare();
            set("near-limit-share", share, value -> builder.reportNearLimit(value, file));
        }
        return builder.build();
    }

    /** Names the property of a value that is refused. */
    private static <T> void set(String name, @Nullable T value, Consumer<T> setter) {
        if (value == null) {
            return;
        }
        try {
            setter.accept(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    "heapsampler." + name, value, e.getMessage());
        }
    }

    private void startDoctor(HeapSamplerProperties.Doctor properties) {
        if (!properties.enabled()) {
            return;
        }
        try {
            GcDoctor doctor = GcDoctor.start();
            ends.push(doctor::close);
            doctor.addListener(HeapSamplerLifecycle::log);
        } catch (UnsupportedOperationException e) {
            warn(e.getMessage());
        }
    }

    private static void log(Finding finding) {
        if (finding.severity() == Severity.INFO) {
            return;
        }
        boolean isCritical = finding.severity() == Severity.CRITICAL;
        LOGGER.log(
                isCritical ? System.Logger.Level.ERROR : System.Logger.Level.WARNING,
                "GC doctor: {0} {1}: {2}",
                finding.severity(),
                finding.id(),
                finding.title());
    }

    private void startPushes(HeapSamplerProperties.Push properties, String applicationName) {
        startPush("push.pyroscope", properties.pyroscope(), properties, applicationName);
        startPush("push.otlp", properties.otlp(), properties, applicationName);
    }

    private void startPush(
            String name,
            @Nullable URI address,
            HeapSamplerProperties.Push properties,
            String applicationName) {
        if (address == null) {
            return;
        }
        boolean isPyroscope = name.equals("push.pyroscope");
        PushBuilder<?> builder =
                isPyroscope ? ProfilePush.pyroscope(address) : ProfilePush.otlp().endpoint(address);
        String given = properties.serviceName();
        set("push.service-name", given == null ? applicationName : given, builder::serviceName);
        set("push.interval", properties.interval(), builder::interval);
        properties
                .labels()
                .forEach(
                        (key, value) ->
                                set("push.labels." + key, value, v -> builder.label(key, v)));
        properties
                .headers()
                .forEach(
                        (key, value) ->
                                setSecret("push.headers." + key, () -> builder.header(key, value)));
        String token = properties.bearerToken();
        if (token != null) {
            setSecret("push.bearer-token", () -> builder.bearerToken(token));
        }
        setSecret(name, () -> start(builder));
    }

    private void start(PushBuilder<?> builder) {
        ProfilePush push = builder.start();
        ends.push(push::close);
    }

    /** Names the property, and not its value, which Spring Boot's own exception always shows. */
    private static void setSecret(String name, Runnable setter) {
        try {
            setter.run();
        } catch (IllegalArgumentException e) {
            String message = "Property heapsampler." + name + " is invalid: " + e.getMessage();
            throw new IllegalArgumentException(message);
        }
    }

    private static void warn(@Nullable String message) {
        LOGGER.log(System.Logger.Level.WARNING, message);
    }

    @Override
    public void close() {
        while (!ends.isEmpty()) {
            ends.pop().run();
        }
    }
}

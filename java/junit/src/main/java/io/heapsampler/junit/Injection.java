// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.HeapRecording;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.RecordingOptions;
import io.heapsampler.assertions.AllocationProbe;
import io.heapsampler.assertions.WhenNotMeasured;
import io.heapsampler.assertions.internal.Settings;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.opentest4j.TestAbortedException;

/** Parameters of test methods. */
final class Injection {

    private static final Namespace NAMESPACE = Namespace.create(Injection.class);
    private static final String TAKEN = "taken";

    private static final String NO_RECORDING =
            "No recording can be opened for the parameter HeapRecording: ";

    private Injection() {}

    static boolean supports(ParameterContext parameter) {
        Class<?> type = parameter.getParameter().getType();
        Executable executable = parameter.getDeclaringExecutable();
        return executable instanceof Method
                && (type == AllocationProbe.class || type == HeapRecording.class);
    }

    /** Of several extensions of ours one resolves: the first that was registered by its author. */
    static void take(ExtensionContext context, HeapSamplerExtension extension) {
        context.getStore(NAMESPACE).getOrComputeIfAbsent(TAKEN, key -> extension);
    }

    /** Returns who resolves; null for the extension behind the annotations. */
    static @Nullable Object taker(ExtensionContext context) {
        return context.getStore(NAMESPACE).get(TAKEN);
    }

    static Object resolve(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getType() == AllocationProbe.class) {
            try {
                return AllocationProbe.ofThread();
            } catch (IllegalStateException e) {
                throw new ParameterResolutionException(String.valueOf(e.getMessage()), e);
            }
        }
        return recording(context);
    }

    /**
     * Aborts a test that takes a recording, as its policy says, where none can be opened. JUnit
     * makes a failure of everything that is thrown while it resolves the parameter itself.
     */
    static void requireRecording(ExtensionContext context) {
        Settings settings = Configuration.of(context).settings;
        boolean isTaken =
                Arrays.asList(context.getRequiredTestMethod().getParameterTypes())
                        .contains(HeapRecording.class);
        if (isTaken && settings.whenNotMeasured() != WhenNotMeasured.FAIL) {
            open(settings).close();
        }
    }

    private static HeapRecording recording(ExtensionContext context) {
        HeapRecording recording = open(Configuration.of(context).settings);
        context.getStore(NAMESPACE).put(recording, new Closing(recording, Thread.currentThread()));
        return recording;
    }

    private static HeapRecording open(Settings settings) {
        RecordingOptions options =
                RecordingOptions.builder()
                        .interval(Math.max(0, settings.interval()))
                        .thread(Thread.currentThread())
                        .build();
        try {
            return HeapSampler.record(options);
        } catch (HeapSamplingUnavailableException e) {
            throw unavailable(NO_RECORDING + e.reason() + ": " + e.getMessage(), settings, e);
        } catch (IllegalStateException e) {
            throw unavailable(NO_RECORDING + e.getMessage(), settings, e);
        }
    }

    /** Without its parameter a test cannot run, so that there is nothing to ignore. */
    private static RuntimeException unavailable(
            String text, Settings settings, RuntimeException cause) {
        return settings.whenNotMeasured() == WhenNotMeasured.FAIL
                ? new ParameterResolutionException(text, cause)
                : new TestAbortedException(text, cause);
    }

    /** Refuses recordings of another thread than this one, in which the test is about to run. */
    static void requireThisThread(TestCase test, List<Object> arguments, ExtensionContext context) {
        for (Object argument : arguments) {
            if (argument instanceof HeapRecording
                    && context.getStore(NAMESPACE).get(argument) instanceof Closing opened
                    && opened.thread != Thread.currentThread()) {
                throw new ExtensionConfigurationException(
                        """
                        The parameter HeapRecording of %s records the thread "%s", but the test \
                        runs in "%s". Remove @Timeout(threadMode = SEPARATE_THREAD), or open a \
                        recording in the test with HeapSampler.record.\
                        """
                                .formatted(
                                        test.name(),
                                        opened.thread.getName(),
                                        Thread.currentThread().getName()));
            }
        }
    }

    /** Closed with the test. */
    @SuppressWarnings("deprecation") // 5.12 closes nothing else; later ones also close this.
    private record Closing(HeapRecording recording, Thread thread)
            implements Store.CloseableResource, AutoCloseable {

        @Override
        public void close() {
            recording.close();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.junit;

import io.heapsampler.assertions.internal.Allowances;
import io.heapsampler.assertions.internal.Allowances.Allowance;
import io.heapsampler.assertions.internal.Pattern;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.platform.commons.JUnitException;

/**
 * All permissions to leak of a run, and which of them were needed. Closed at the end of the run.
 * Safe for use by many threads.
 */
@SuppressWarnings("deprecation") // 5.12 closes nothing else; later ones also close this.
final class Ledger implements Store.CloseableResource, AutoCloseable {

    private static final Logger LOGGER = System.getLogger("io.heapsampler.junit");
    private static final String LINE = "leak:";

    /**
     * By the annotation itself: an inherited one, or one that is part of another annotation, is
     * one, however many elements have it.
     */
    private final Map<AllowedLeak, Allowance> written =
            Collections.synchronizedMap(new IdentityHashMap<>());

    /** By text and place: code that runs once for each test is also one. */
    private final Map<Permission, Allowance> byCode = new ConcurrentHashMap<>();

    private final List<Allowance> ofFile;
    private final Configuration.Unused unused;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private Ledger(Configuration configuration) {
        this.unused = configuration.unused;
        this.ofFile = configuration.suppressions.map(Ledger::read).orElse(List.of());
    }

    static Ledger of(ExtensionContext context) {
        Configuration configuration = Configuration.of(context);
        return Configuration.ofRun(context, Ledger.class, () -> new Ledger(configuration));
    }

    private static List<Allowance> read(Path file) {
        try {
            List<Allowance> allowances = new ArrayList<>();
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).trim();
                if (!line.isEmpty() && !line.startsWith("#")) {
                    allowances.add(allowance(file + ":" + (i + 1), line));
                }
            }
            return allowances;
        } catch (IOException e) {
            throw new ExtensionConfigurationException(
                    """
                    The file of suppressions cannot be read: %s. Create it, or correct \
                    heapsampler.junit.suppressions.\
                    """
                            .formatted(file.toAbsolutePath()),
                    e);
        }
    }

    private static Allowance allowance(String where, String line) {
        int comment = line.indexOf(" #"); // a name of Kotlin may have a # inside
        String reason = comment < 0 ? "" : line.substring(comment + 2).trim();
        if (!line.startsWith(LINE) || reason.isEmpty()) {
            throw new ExtensionConfigurationException(
                    """
                    At %s: this is no suppression: "%s". Write leak:<class or method> # \
                    <reason>, such as leak:com.acme.Money.parse # one entry per currency.\
                    """
                            .formatted(where, line));
        }
        try {
            String pattern = line.substring(LINE.length(), comment);
            return new Allowance(where, reason, List.of(new Pattern(pattern)));
        } catch (IllegalArgumentException e) {
            throw new ExtensionConfigurationException("At " + where + ": " + e.getMessage(), e);
        }
    }

    /** Returns the permissions for a test: its own, those of its classes, and those of the file. */
    Allowances allowances(TestCase test) {
        List<Allowance> all = new ArrayList<>(ofFile);
        for (AnnotatedElement element : test.elements()) {
            String place = Placement.place(element);
            for (AllowedLeak leak : AnnotationLookup.findRepeated(element, AllowedLeak.class)) {
                all.add(written.computeIfAbsent(leak, key -> allowance(place, key)));
            }
        }
        return new Allowances(all);
    }

    /** The same, and what is allowed by code. */
    Allowances allowances(TestCase test, List<Permission> more) {
        List<Allowance> all = new ArrayList<>(allowances(test).all());
        for (Permission permission : more) {
            all.add(byCode.computeIfAbsent(permission, Permission::allowance));
        }
        return new Allowances(all);
    }

    private static Allowance allowance(String place, AllowedLeak leak) {
        try {
            return Permission.of("@AllowedLeak", place, leak.reason(), leak.frames()).allowance();
        } catch (IllegalArgumentException e) {
            throw new ExtensionConfigurationException("At " + place + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (isClosed.getAndSet(true)) {
            return;
        }
        List<Allowance> all = new ArrayList<>(ofFile);
        synchronized (written) {
            all.addAll(written.values());
        }
        all.addAll(byCode.values());
        String used = text(all, true);
        String never = text(all, false);
        if (!used.isEmpty()) {
            LOGGER.log(Level.INFO, "Allowed leaks that were found: {0}", used);
        }
        if (!never.isEmpty()) {
            String text = "Allowed leaks that were not found: " + never + ". Remove them";
            if (unused == Configuration.Unused.FAIL) {
                throw new JUnitException(
                        text + ", or set heapsampler.junit.suppressions.unused to \"report\".");
            }
            LOGGER.log(Level.WARNING, text + ".");
        }
    }

    private static String text(List<Allowance> all, boolean isUsed) {
        return all.stream()
                .filter(allowance -> allowance.isUsed() == isUsed)
                .map(Allowance::toString)
                .sorted()
                .collect(Collectors.joining("; "));
    }

    /**
     * Allocations that an author lets stay alive. An {@link Allowance} knows whether a run needed
     * it.
     *
     * @param where where it is written, for reports
     * @param reason why
     * @param frames of which one must match
     */
    record Permission(String where, String reason, List<Pattern> frames) {

        /**
         * Reads one.
         *
         * @param name its name in messages
         * @throws IllegalArgumentException if the reason or the frames are missing, or one is no
         *     pattern
         */
        static Permission of(String name, String where, String reason, String... frames) {
            if (reason.isBlank() || frames.length == 0) {
                throw new IllegalArgumentException(
                        """
                        %s needs a reason and a frame: what may stay alive, and why is it no leak?\
                        """
                                .formatted(name));
            }
            return new Permission(where, reason, Pattern.all(frames));
        }

        /** Returns an account of its uses, empty as yet. */
        Allowance allowance() {
            return new Allowance(where, reason, frames);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The attributes of the process context that are pushed. All but the arguments of the process,
 * which may be passwords, and a {@code service.name} that is blank or no text. For one thread.
 */
final class ProcessResource implements Supplier<Map<String, Object>> {

    private static final System.Logger LOG = System.getLogger("io.heapsampler.push");

    private static final Set<String> ARGUMENTS =
            Set.of("process.command_args", "process.command_line");

    private final Supplier<byte[]> payload;
    private boolean isLogged;

    /**
     * @param payload called for each push, because an SDK publishes it after the start, and
     *     replaces it
     */
    ProcessResource(Supplier<byte[]> payload) {
        this.payload = payload;
    }

    @Override
    public Map<String, Object> get() {
        Map<String, Object> attributes = ResourceAttributes.of(payload.get());
        if (attributes == null) {
            logDamage();
            return Map.of();
        }
        attributes.keySet().removeAll(ARGUMENTS);
        Object service = attributes.get(OtelVariables.SERVICE_KEY);
        if (!(service instanceof String name) || name.isBlank()) {
            attributes.remove(OtelVariables.SERVICE_KEY);
        }
        return attributes;
    }

    private void logDamage() {
        if (!isLogged) {
            isLogged = true;
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "otlp: the process context is damaged, so its resource is not pushed. This is"
                            + " logged once.");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Editors complete the properties, and the README documents exactly these. */
class MetadataTest {

    private static final Pattern ROW = Pattern.compile("^\\| `(heapsampler\\.[a-z.-]+)`");

    @Test
    void theReadmeHasExactlyTheProperties() throws Exception {
        Set<String> documented = new TreeSet<>();
        Path readme = Path.of(System.getProperty("readme.root"), "README.md");
        String section = Files.readString(readme).split("\n## Spring Boot\n", 2)[1];
        for (String line : section.split("\n## ", 2)[0].split("\n")) {
            var row = ROW.matcher(line);
            if (row.find()) {
                documented.add(row.group(1));
            }
        }
        assertThat(documented).isEqualTo(names());
    }

    @Test
    void eachPropertyIsDescribed() throws Exception {
        for (JsonNode property : properties()) {
            assertThat(property.path("description").asText())
                    .as(property.path("name").asText())
                    .endsWith(".");
        }
        assertThat(names()).isNotEmpty();
    }

    private static Set<String> names() throws Exception {
        Set<String> names = new TreeSet<>();
        properties().forEach(property -> names.add(property.path("name").asText()));
        return names;
    }

    /** The others, of management.endpoint.heapsampler, are those that each endpoint has. */
    private static List<JsonNode> properties() throws Exception {
        try (InputStream in =
                HeapSamplerProperties.class.getResourceAsStream(
                        "/META-INF/spring-configuration-metadata.json")) {
            List<JsonNode> own = new ArrayList<>();
            for (JsonNode property : new ObjectMapper().readTree(in).path("properties")) {
                if (property.path("name").asText().startsWith("heapsampler.")) {
                    own.add(property);
                }
            }
            return own;
        }
    }
}

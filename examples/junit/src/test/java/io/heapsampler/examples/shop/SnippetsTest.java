// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each piece of Java in the README's section about tests is part of a source that runs here. */
class SnippetsTest {

    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static String section() throws IOException {
        String readme =
                Files.readString(Path.of(System.getProperty("readme.root", "../.."), "README.md"));
        int start = readme.indexOf("\n## Test it: JUnit and others\n");
        return readme.substring(start, readme.indexOf("\n## ", start + 1));
    }

    private static String sources() throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                text.append(Files.readString(file)).append('\n');
            }
        }
        return onOneLine(text.toString());
    }

    private static String onOneLine(String text) {
        return text.replaceAll("\\s+", " ").trim();
    }

    @Test
    void eachIsRun() throws IOException {
        List<String> paragraphs =
                JAVA.matcher(section())
                        .results()
                        .flatMap(snippet -> Stream.of(snippet.group(1).split("\n\n")))
                        .map(SnippetsTest::onOneLine)
                        .toList();
        String sources = sources();

        assertThat(paragraphs).hasSizeGreaterThan(10);
        assertThat(paragraphs).allSatisfy(each -> assertThat(sources).contains(each));
    }
}

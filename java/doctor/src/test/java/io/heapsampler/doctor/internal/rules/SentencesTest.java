// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A misspelt name of a fact leaves an empty place in a sentence, or hides one. */
class SentencesTest {

    private static final Path RULES = Path.of("src/main/java/io/heapsampler/doctor/internal/rules");

    private static final Pattern TABLE = Pattern.compile("\"\"\"\n(.*?)\"\"\"", Pattern.DOTALL);
    private static final Pattern LITERAL = Pattern.compile("\"([a-z][a-z0-9_.]*)\"");
    private static final Pattern PLACE = Pattern.compile("\\{([^ }]+)[^}]*}");
    private static final Pattern KEY =
            Pattern.compile(" *([A-Za-z][A-Za-z_.-]*)(?:[?!](\\S+))? .*");

    /** Of the rules of any file, and of those facts that all tables have. */
    @Test
    void eachNameInASentenceIsAFactOfItsRule() throws IOException {
        Set<String> shared = literals(Files.readString(RULES.resolve("ClassRules.java")));
        shared.addAll(literals(Files.readString(RULES.resolve("OldFigures.java"))));
        shared.add("collector");
        shared.add("sites.known");
        List<String> wrong = new ArrayList<>();
        int tables = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(RULES, "*.java")) {
            for (Path file : files) {
                String source = Files.readString(file);
                Set<String> known = literals(source);
                known.addAll(shared);
                Matcher table = TABLE.matcher(source);
                while (source.contains("new TableRule(") && table.find()) {
                    tables++;
                    check(file.getFileName() + ": ", table.group(1), known, wrong);
                }
            }
        }
        assertThat(tables).isGreaterThan(12);
        assertThat(wrong).isEmpty();
    }

    private static Set<String> literals(String source) {
        Set<String> found = new HashSet<>();
        Matcher literal = LITERAL.matcher(source);
        while (literal.find()) {
            found.add(literal.group(1));
        }
        return found;
    }

    private static void check(String where, String table, Set<String> facts, List<String> wrong) {
        List<String> lines = table.replace("\\\n", "").lines().skip(1).toList();
        Set<String> names = new HashSet<>(facts);
        Set<String> used = new HashSet<>();
        for (String line : lines) {
            Matcher key = KEY.matcher(line);
            if (key.matches()) {
                names.add(key.group(1));
                if (key.group(2) != null) {
                    used.add(key.group(2));
                }
            }
            Matcher place = PLACE.matcher(line);
            while (place.find()) {
                used.add(place.group(1));
            }
        }
        for (String each : used) {
            if (!names.contains(each)) {
                wrong.add(where + each);
            }
        }
    }
}

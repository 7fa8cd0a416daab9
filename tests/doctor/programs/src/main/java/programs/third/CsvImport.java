// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import programs.more.Load;

/**
 * Faulty with a young generation of a few megabytes: an import parses files with Commons CSV, each
 * as a whole, and drops its records as soon as they are added up.
 */
public final class CsvImport {

    private static final double FILES_A_SECOND = 1.5;

    private static final int LINES = 40_000;

    private static final CSVFormat FORMAT =
            CSVFormat.DEFAULT.builder().setHeader().setSkipHeaderRecord(true).get();

    private static long imported;

    private final String file = file();

    private static String file() {
        StringBuilder lines = new StringBuilder("id,customer,city,article,pieces,price\n");
        for (int i = 0; i < LINES; i++) {
            lines.append(i).append(",customer ").append(i % 700).append(",city ").append(i % 90);
            lines.append(",article ").append(i).append(',').append(i % 9).append(",19.95\n");
        }
        return lines.toString();
    }

    private List<CSVRecord> parse() throws IOException {
        try (StringReader reader = new StringReader(file)) {
            return FORMAT.parse(reader).getRecords();
        }
    }

    private int load() throws IOException {
        Map<String, Integer> pieces = new HashMap<>();
        for (CSVRecord order : parse()) {
            pieces.merge(
                    order.get("customer"), Integer.parseInt(order.get("pieces")), Integer::sum);
        }
        return pieces.values().stream().mapToInt(Integer::intValue).sum();
    }

    public static void main(String... args) {
        CsvImport shop = new CsvImport();
        Load.at(FILES_A_SECOND, args, number -> imported += shop.load());
        System.out.println("imported " + imported);
    }
}

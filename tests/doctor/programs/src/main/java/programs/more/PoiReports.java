// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.apache.poi.ss.usermodel.Row;
import org.apache.poi.ss.usermodel.Sheet;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;

import java.io.IOException;
import java.io.OutputStream;

/** Healthy: every five seconds a spreadsheet is built in memory with Apache POI, and dropped. */
public final class PoiReports {

    private static final double BETWEEN_SECONDS = 5;

    private static final int ROWS = 3_000;

    private static final int COLUMNS = 12;

    private static long rows;

    private static long report(int number) throws IOException {
        try (XSSFWorkbook workbook = new XSSFWorkbook();
                OutputStream out = OutputStream.nullOutputStream()) {
            Sheet sheet = workbook.createSheet("Report " + number);
            for (int i = 0; i < ROWS; i++) {
                Row row = sheet.createRow(i);
                row.createCell(0).setCellValue("Line " + i + " of report " + number);
                for (int j = 1; j < COLUMNS; j++) {
                    row.createCell(j).setCellValue(i * 1.25 + j);
                }
            }
            workbook.write(out);
            return sheet.getLastRowNum();
        }
    }

    public static void main(String... args) {
        Load.at(1 / BETWEEN_SECONDS, args, number -> rows += report(number));
        System.out.println("rows " + rows);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.poi.ss.usermodel.Row;
import org.apache.poi.ss.usermodel.Sheet;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;

/** Healthy: every five seconds a spreadsheet is built in memory with Apache POI, and dropped. */
public final class PoiReports {

    private static final double BETWEEN_SECONDS = 5;

    private static final int ROWS = 3_000;

    private static final int COLUMNS = 12;

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

    public static void main(String[] args) throws IOException {
        double seconds = Double.parseDouble(args[0]);
        long start = System.nanoTime();
        long step = (long) (BETWEEN_SECONDS * TimeUnit.SECONDS.toNanos(1));
        long rows = 0;
        for (int i = 0; i < seconds / BETWEEN_SECONDS; i++) {
            rows += report(i);
            LockSupport.parkNanos(start + (i + 1) * step - System.nanoTime());
        }
        System.out.println("rows " + rows);
    }
}

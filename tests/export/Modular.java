// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import io.heapsampler.HeapSnapshot;
import io.heapsampler.export.ExportFormat;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;

/** Writes every format from the jars alone. Run by tests/export/run. */
class Modular {

    public static void main(String[] arguments) throws Exception {
        if (!ExportFormat.class.getModule().isNamed()) {
            throw new AssertionError("the jar is no module");
        }
        HeapSnapshot snapshot = HeapSnapshot.read(Path.of(arguments[0]));
        for (ExportFormat format : ExportFormat.values()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            snapshot.writeTo(out, format);
            if (out.size() == 0) {
                throw new AssertionError(format + " is empty");
            }
        }
    }
}

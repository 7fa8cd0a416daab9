// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Healthy: every three seconds a batch of Avro records is read into memory, summed up and dropped;
 * Snappy compresses it.
 */
public final class AvroBatches {

    private static final double BETWEEN_SECONDS = 3;

    private static final int RECORDS = 100_000;

    private static final Schema SCHEMA =
            SchemaBuilder.record("Reading")
                    .fields()
                    .requiredString("meter")
                    .requiredLong("time")
                    .requiredDouble("watts")
                    .endRecord();

    private static double total;

    private static byte[] write() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> writer =
                new DataFileWriter<>(new GenericDatumWriter<>(SCHEMA))) {
            writer.setCodec(CodecFactory.snappyCodec()).create(SCHEMA, out);
            for (int i = 0; i < RECORDS; i++) {
                GenericRecord reading = new GenericData.Record(SCHEMA);
                reading.put("meter", "meter " + i % 500);
                reading.put("time", (long) i);
                reading.put("watts", i / 7.0);
                writer.append(reading);
            }
        }
        return out.toByteArray();
    }

    private static double batch(byte[] file) throws IOException {
        GenericRecord[] batch = new GenericRecord[RECORDS];
        try (DataFileReader<GenericRecord> reader =
                new DataFileReader<>(
                        new SeekableByteArrayInput(file), new GenericDatumReader<>(SCHEMA))) {
            for (int i = 0; reader.hasNext(); i++) {
                batch[i] = reader.next();
            }
        }
        return Arrays.stream(batch).mapToDouble(reading -> (Double) reading.get("watts")).sum();
    }

    public static void main(String... args) throws IOException {
        byte[] file = write();
        Load.at(1 / BETWEEN_SECONDS, args, number -> total += batch(file));
        System.out.println("total " + total);
    }
}

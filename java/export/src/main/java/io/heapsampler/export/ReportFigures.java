// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.export;

import com.google.gson.stream.JsonWriter;
import io.heapsampler.Estimate;
import io.heapsampler.HeapAmount;
import java.io.IOException;
import java.util.Arrays;

/** The three amounts of each row of a table of a report, in columns. */
final class ReportFigures {

    private final Columns allocated;
    private final Columns live;
    private final Columns unconfirmed;

    ReportFigures(int rows) {
        allocated = new Columns(rows);
        live = new Columns(rows);
        unconfirmed = new Columns(rows);
    }

    /** Adds to a row, since several sites of a snapshot may be one in the report. */
    void add(
            int row, HeapAmount allocatedThere, HeapAmount liveThere, HeapAmount unconfirmedThere) {
        allocated.add(row, allocatedThere);
        live.add(row, liveThere);
        unconfirmed.add(row, unconfirmedThere);
    }

    void write(JsonWriter json) throws IOException {
        json.beginObject();
        allocated.write(json.name("allocated"));
        live.write(json.name("live"));
        unconfirmed.write(json.name("unconfirmed"));
        json.endObject();
    }

    private static final class Columns {

        private final double[] bytes;
        private final double[] bytesVariance;
        private final double[] objects;
        private final double[] objectsVariance;
        private final double[] sampledBytes;
        private final double[] samples;

        Columns(int rows) {
            bytes = new double[rows];
            bytesVariance = new double[rows];
            objects = new double[rows];
            objectsVariance = new double[rows];
            sampledBytes = new double[rows];
            samples = new double[rows];
        }

        void add(int row, HeapAmount amount) {
            bytes[row] += amount.bytes().value();
            bytesVariance[row] += variance(amount.bytes());
            objects[row] += amount.objects().value();
            objectsVariance[row] += variance(amount.objects());
            sampledBytes[row] += amount.sampledBytes();
            samples[row] += amount.samples();
        }

        private static double variance(Estimate estimate) {
            return estimate.standardError() * estimate.standardError();
        }

        void write(JsonWriter json) throws IOException {
            json.beginObject();
            column(json.name("bytes"), bytes, 1);
            column(json.name("bytesError"), roots(bytesVariance), 1);
            column(json.name("objects"), objects, 10);
            column(json.name("objectsError"), roots(objectsVariance), 10);
            column(json.name("sampledBytes"), sampledBytes, 1);
            column(json.name("samples"), samples, 1);
            json.endObject();
        }

        private static double[] roots(double[] squares) {
            return Arrays.stream(squares).map(Math::sqrt).toArray();
        }
    }

    /** Writes whole numbers (scale 1), or to one digit behind the point (scale 10). */
    static void column(JsonWriter json, double[] values, int scale) throws IOException {
        json.beginArray();
        for (double value : values) {
            Json.figure(json, (double) Math.round(value * scale) / scale);
        }
        json.endArray();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

/**
 * A straight line through values over their numbers, by least squares.
 *
 * <p>Neighbouring values depend on each other (a heap that has grown stays so for a while), so they
 * are averaged in blocks first, and the error comes from how the blocks lie about the line.
 *
 * @param perStep the slope, per value
 * @param error its standard error
 */
record Slope(double perStep, double error) {

    /** The blocks; the error has two degrees of freedom less. */
    static final int BLOCKS = 20;

    /** A variable of Student with 18 degrees of freedom is beyond it once in 1,000 times. */
    static final double ONCE_IN_1000 = 3.610;

    /** Returns the line through as many whole blocks as there are, of the latest values. */
    static Slope of(double[] values) {
        int size = values.length / BLOCKS;
        if (size == 0) {
            throw new IllegalArgumentException(values.length + " values are too few");
        }
        double[] means = new double[BLOCKS];
        int first = values.length - size * BLOCKS;
        for (int i = 0; i < size * BLOCKS; i++) {
            means[i / size] += values[first + i] / size;
        }
        return ofBlocks(means, size);
    }

    private static Slope ofBlocks(double[] means, int size) {
        double middle = (BLOCKS - 1) / 2.0;
        double mean = 0;
        for (double one : means) {
            mean += one / BLOCKS;
        }
        double products = 0;
        double squares = 0;
        for (int i = 0; i < BLOCKS; i++) {
            products += (i - middle) * (means[i] - mean);
            squares += (i - middle) * (i - middle);
        }
        double slope = products / squares;
        double residuals = 0;
        for (int i = 0; i < BLOCKS; i++) {
            double off = means[i] - mean - slope * (i - middle);
            residuals += off * off;
        }
        double error = Math.sqrt(residuals / (BLOCKS - 2) / squares);
        return new Slope(slope / size, error / size);
    }

    /** Returns what this one is steeper than another, independent one. */
    Slope minus(Slope other) {
        return new Slope(perStep - other.perStep, Math.hypot(error, other.error));
    }

    /** Returns the slope that the true one exceeds with a chance of 999 in 1,000. */
    double atLeast() {
        return perStep - ONCE_IN_1000 * error;
    }

    /** Returns the slope that the true one falls short of with a chance of 999 in 1,000. */
    double atMost() {
        return perStep + ONCE_IN_1000 * error;
    }

    @Override
    public String toString() {
        return "%.3f +- %.3f".formatted(perStep, error);
    }
}

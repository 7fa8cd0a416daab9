// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How long objects live, with those that are still alive taken into account: the share of objects
 * that reach an age.
 *
 * <p>An object that is alive has a lifetime of which only the beginning is known. Leaving it out
 * would make lives look shorter than they are, and so would counting its age as its lifetime. It
 * counts as at risk of dying for as long as it was watched. By collections that is the estimate of
 * Kaplan and Meier: of n objects that survived i collections or more, c are alive and have survived
 * just i, and d died at the next one, so the chance to die at it is d / (n − c). By time, where
 * ages are in buckets, it is the life table of Cutler and Ederer, d / (n − c/2), since the living
 * of a bucket were watched through half of it on average. The share that reaches an age is the
 * product of the chances not to die before it. Objects that are {@link Liveness#UNCONFIRMED} say
 * nothing yet.
 *
 * <pre>{@code
 * Survival survival = site.survival(HeapHistogram.Unit.COLLECTIONS);
 * survival.reaching(2)
 *         .ifPresent(share -> System.out.println(share + " of the objects survive two collections"));
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.EXPERIMENTAL, since = "0.1")
@CheckReturnValue
public final class Survival {

    private final HeapHistogram died;
    private final double[] reaching;
    private final double[] error;

    private Survival(HeapHistogram died, double[] reaching, double[] error) {
        this.died = died;
        this.reaching = reaching;
        this.error = error;
    }

    /**
     * Makes the curve from objects by age at death and by age now. The standard error is about that
     * of Greenwood, with samples in the place of objects, each of which is taken to stand for as
     * many: {@code samples} is the number of both kinds.
     */
    static Survival of(HeapHistogram died, HeapHistogram alive, long samples) {
        int buckets = died.buckets();
        double[] reaching = new double[buckets];
        double[] error = new double[buckets];
        double[] entering = entering(died, alive);
        double perSample = samples == 0 ? 1 : entering[0] / samples;
        double unwatched = died.unit() == HeapHistogram.Unit.COLLECTIONS ? 1 : 0.5;
        double share = 1;
        double greenwood = 0;
        for (int i = 0; i < buckets; i++) {
            boolean isKnown = i == 0 || share == 0 || entering[i] > 0;
            reaching[i] = isKnown ? share : Double.NaN;
            error[i] = isKnown ? share * Math.sqrt(greenwood) : Double.NaN;
            if (entering[i] > 0) {
                double atRisk = entering[i] - unwatched * alive.objects(i);
                double chance = died.objects(i) == 0 ? 0 : Math.min(died.objects(i) / atRisk, 1);
                boolean isLast = entering[i + 1] == 0 && alive.objects(i) == 0;
                share *= isLast ? 0 : 1 - chance;
                greenwood +=
                        share > 0 && chance > 0 ? chance * perSample / (atRisk * (1 - chance)) : 0;
            }
        }
        return new Survival(died, reaching, error);
    }

    /** Objects that reach each bucket, and 0 behind the last one. */
    private static double[] entering(HeapHistogram died, HeapHistogram alive) {
        double[] entering = new double[died.buckets() + 1];
        for (int i = died.buckets() - 1; i >= 0; i--) {
            entering[i] = entering[i + 1] + died.objects(i) + alive.objects(i);
        }
        return entering;
    }

    /** {@return what the ages count} */
    public HeapHistogram.Unit unit() {
        return died.unit();
    }

    /**
     * {@return the number of ages: the {@link HeapHistogram#buckets()} of a histogram of this unit}
     */
    public int buckets() {
        return reaching.length;
    }

    /**
     * Returns the age of a bucket.
     *
     * @param bucket from 0 to {@link #buckets()} − 1
     * @return {@link HeapHistogram#lowerBound} of it, in {@link #unit()}
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public long age(int bucket) {
        return died.lowerBound(bucket);
    }

    /**
     * Returns the share of objects that reach an age.
     *
     * @param bucket from 0 to {@link #buckets()} − 1
     * @return from 1 down to 0; 1 for the first bucket; empty where no object was watched for that
     *     long
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public OptionalDouble reaching(int bucket) {
        return known(reaching[Objects.checkIndex(bucket, reaching.length)]);
    }

    /**
     * Returns the standard error of {@link #reaching}.
     *
     * @param bucket from 0 to {@link #buckets()} − 1
     * @return 0 or more; empty where {@link #reaching} is empty
     * @throws IndexOutOfBoundsException if there is no such bucket
     */
    public OptionalDouble standardError(int bucket) {
        return known(error[Objects.checkIndex(bucket, reaching.length)]);
    }

    private static OptionalDouble known(double figure) {
        return Double.isNaN(figure) ? OptionalDouble.empty() : OptionalDouble.of(figure);
    }

    /**
     * Returns the first age that at most a given share of the objects reaches.
     *
     * @param share from 0 to 1; 0.5 for the median of the lifetimes
     * @return the bucket; empty if more than that are still alive at every known age
     * @throws IllegalArgumentException if the share is outside 0 to 1
     */
    public OptionalInt bucketReachedBy(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be from 0 to 1: " + share);
        }
        for (int i = 0; i < reaching.length; i++) {
            if (reaching[i] <= share) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Survival that
                && unit() == that.unit()
                && Arrays.equals(reaching, that.reaching)
                && Arrays.equals(error, that.error);
    }

    @Override
    public int hashCode() {
        return 31 * unit().hashCode() + Arrays.hashCode(reaching);
    }

    @Override
    public String toString() {
        return unit() + " " + Arrays.toString(reaching);
    }
}

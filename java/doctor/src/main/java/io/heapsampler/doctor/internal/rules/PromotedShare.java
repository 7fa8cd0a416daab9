// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.internal.sites.SiteBook;
import io.heapsampler.doctor.internal.text.Text;
import java.util.List;

/**
 * Which share of all promoted bytes some sites explain, and what the rest is. The total is that of
 * the pools; where samples estimate more than that, theirs is taken.
 *
 * @param ofAll the share of all promoted bytes
 * @param ofFollowed the share of those of which the samples were followed
 * @param notFollowed the share of all of which the samples were forgotten
 * @param others the share of all that was promoted at other sites, or lived on
 * @param unseen the share of all of which no sample is known
 */
record PromotedShare(
        NamedSites.Share ofAll,
        NamedSites.Share ofFollowed,
        double notFollowed,
        double others,
        double unseen) {

    /** With less than this the two shares differ in nothing. */
    private static final double SOME = 0.005;

    /**
     * Works it out.
     *
     * @param reached bytes that samples saw promoted, of all sites
     * @param promoted bytes by the pools
     */
    static PromotedShare of(List<SiteEvidence> named, double reached, SiteBook.Promoted promoted) {
        double followed = Math.max(promoted.followed(), reached);
        double all = Math.max(promoted.all(), followed);
        NamedSites.Share ofAll = NamedSites.Share.of(named, all);
        return new PromotedShare(
                ofAll,
                NamedSites.Share.of(named, followed),
                (all - followed) / all,
                Math.max(reached / all - ofAll.value(), 0),
                (followed - reached) / all);
    }

    NamedSites explaining(List<SiteEvidence> named) {
        StringBuilder text = new StringBuilder("The sites named explain ");
        text.append(ofAll.text()).append(" of the promoted bytes.");
        if (notFollowed >= SOME) {
            text.append(" For ").append(Text.share(notFollowed));
            text.append(
                    " no site is known: the sampler had forgotten their deaths when the doctor read"
                            + " them (SamplerOptions.maxDead). Of the remaining ");
            text.append(Text.share(1 - notFollowed)).append(" they explain ");
            text.append(ofFollowed.text()).append('.');
        }
        if (others >= SOME) {
            text.append(' ').append(Text.share(others));
            text.append(" lived on, or came from other sites.");
        }
        if (unseen >= SOME) {
            text.append(' ').append(Text.share(unseen));
            text.append(" was not seen by samples.");
        }
        return NamedSites.explaining(named, ofAll.value(), text.toString());
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* hs_phaser: after a wait no callback has an old pointer. Two callbacks, each on a stripe of its own,
 * enter twice; a control thread exchanges what is published twice, waits, and frees. A wait may run
 * out of patience at any moment; then nothing is freed, as the header says.
 *
 * Broken on purpose: ONE_FLIP     a wait empties only the parity it finds
 *                    LATE_ENTER   a callback reads the pointer before it counts itself
 *                    IMPATIENT    what was exchanged is freed though the wait returned false */
#define CALLBACKS 2
#define EXCHANGES 2

bit phase;
byte inside[4]; /* [stripe * 2 + parity] */
byte published;
bool is_freed[EXCHANGES + 1];

proctype callback(byte stripe) {
    byte round, seen;
    bit parity;
    for (round : 1 .. 2) {
        parity = phase;
#ifdef LATE_ENTER
        seen = published;
        inside[stripe * 2 + parity]++;
#else
        inside[stripe * 2 + parity]++;
        seen = published;
#endif
        assert(!is_freed[seen]);
        assert(!is_freed[seen]); /* looks again, later */
        inside[stripe * 2 + parity]--;
    }
}

proctype control() {
    byte exchange, old, flip, stripe;
    bit first;
    bool is_over;
    for (exchange : 1 .. EXCHANGES) {
        atomic { old = published; published = exchange }
        first = phase;
        is_over = true;
#ifdef ONE_FLIP
        for (flip : 0 .. 0) {
#else
        for (flip : 0 .. 1) {
#endif
            if
            :: is_over ->
                phase = 1 - phase;
                /* is_empty looks at one stripe after the other, and again until all were empty. A
                 * stripe that was empty fills only for a moment: by a callback that was late. */
look:           stripe = 0;
                do
                :: stripe < CALLBACKS ->
                    if
                    :: inside[stripe * 2 + (first ^ flip)] == 0 -> stripe++
                    :: inside[stripe * 2 + (first ^ flip)] != 0 -> goto look
                    :: is_over = false; break
                    fi
                :: else -> break
                od
            :: else
            fi
        }
#ifdef IMPATIENT
        is_freed[old] = true
#else
        if
        :: is_over -> is_freed[old] = true
        :: else
        fi
#endif
    }
}

init {
    atomic { run callback(0); run callback(1); run control() }
}

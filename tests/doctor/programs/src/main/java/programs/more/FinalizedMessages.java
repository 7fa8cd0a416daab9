// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Multimap;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Faulty: each message has a finalizer that counts messages that were not closed. The collector has to
 * keep every dead message, with its headers, until its finalizer has run.
 */
public final class FinalizedMessages {

    private static final int MESSAGES_A_SECOND = 12_000;

    private static final int HEADERS = 12;

    private static final AtomicLong UNCLOSED = new AtomicLong();

    private static long length;

    private static final class Message {
        private final Multimap<String, String> headers = LinkedHashMultimap.create(4, 4);

        private boolean isClosed;

        int write(int number) {
            for (int i = 0; i < HEADERS; i++) {
                headers.put("header-" + i % 3, Integer.toString(number + i));
            }
            return headers.size();
        }

        void close() {
            isClosed = true;
        }

        @Override
        protected void finalize() {
            if (!isClosed) {
                UNCLOSED.incrementAndGet();
            }
        }
    }

    private static int send(int number) {
        Message message = new Message();
        int written = message.write(number);
        if (number % 1_000 != 0) {
            message.close();
        }
        return written;
    }

    public static void main(String... args) {
        Load.at(MESSAGES_A_SECOND, args, number -> length += send(number));
        System.out.println("length " + length + ", unclosed " + UNCLOSED);
    }
}

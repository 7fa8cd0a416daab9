// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sick: each message has a finalizer that counts messages nobody closed. The collector has to keep
 * every dead message, with its buffer, until its finalizer has run.
 */
public final class FinalizedMessages {

    private static final int MESSAGES_A_SECOND = 25_000;

    private static final AtomicLong UNCLOSED = new AtomicLong();

    private static long sum;

    private static final class Message {
        private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[480]);

        private boolean isClosed;

        int write(int number) {
            byte[] text = ("message " + number).getBytes(StandardCharsets.UTF_8);
            buffer.putBytes(0, text);
            return buffer.getByte(text.length - 1);
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
        int last = message.write(number);
        if (number % 1_000 != 0) {
            message.close();
        }
        return last;
    }

    public static void main(String... args) {
        Load.at(MESSAGES_A_SECOND, args, number -> sum += send(number));
        System.out.println("sum " + sum + ", unclosed " + UNCLOSED);
    }
}

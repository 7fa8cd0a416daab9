// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Faulty: an actor waits for a slow printer with each message, and gets messages faster than it
 * handles them; its mailbox has no bound.
 */
public final class PekkoMailbox {

    private static final int MESSAGES = 67_000;

    private static final int SLOW_MICROS = 2_500;

    /** A receipt to print. */
    private record Receipt(int number, String[] lines) {}

    /** Prints receipts, slowly. */
    public static final class Printer extends AbstractActor {
        private long printed;

        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Receipt.class, this::print).build();
        }

        private void print(Receipt receipt) throws InterruptedException {
            TimeUnit.MICROSECONDS.sleep(SLOW_MICROS);
            printed += String.join("\n", receipt.lines()).length();
            if (receipt.number() % 1_000 == 0) {
                System.out.println("receipt " + receipt.number() + ", printed " + printed);
            }
        }
    }

    private static void order(ActorRef printer, int number) {
        String[] lines = new String[28];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = "receipt " + number + " line " + i;
        }
        printer.tell(new Receipt(number, lines), ActorRef.noSender());
    }

    public static void main(String... args) {
        ActorSystem system = ActorSystem.create("shop");
        ActorRef printer = system.actorOf(Props.create(Printer.class, Printer::new), "printer");
        System.out.println(Arrays.toString(args) + " " + printer.path());
        Load.spread(MESSAGES, args, number -> order(printer, number));
        System.exit(0);
    }
}

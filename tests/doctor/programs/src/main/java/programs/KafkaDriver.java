// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends and polls records with Kafka's clients; there is no broker. Arguments: seconds, batches of
 * 50 records per second.
 */
final class KafkaDriver {

    private static final String TOPIC = "orders";
    private static final int BATCH = 50;
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

    private KafkaDriver() {}

    public static void main(String... args) {
        StringSerializer text = new StringSerializer();
        try (MockProducer<String, String> producer = new MockProducer<>(true, null, text, text);
                MockConsumer<String, String> consumer = new MockConsumer<>("earliest")) {
            consumer.assign(List.of(PARTITION));
            consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
            Pace.of(args)
                    .at(
                            Double.parseDouble(args[1]),
                            number -> {
                                send(producer, number);
                                receive(producer, consumer, (long) number * BATCH);
                            });
        }
    }

    private static void send(MockProducer<String, String> producer, int number) {
        for (int i = 0; i < BATCH; i++) {
            producer.send(new ProducerRecord<>(TOPIC, 0, "key" + number, Garbage.text(1_000)));
        }
    }

    private static void receive(
            MockProducer<String, String> producer,
            MockConsumer<String, String> consumer,
            long offset) {
        long next = offset;
        for (ProducerRecord<String, String> sent : producer.history()) {
            consumer.addRecord(new ConsumerRecord<>(TOPIC, 0, next++, sent.key(), sent.value()));
        }
        producer.clear();
        for (ConsumerRecord<String, String> each : consumer.poll(Duration.ZERO)) {
            Garbage.sink = each.value().toUpperCase(Locale.ROOT);
        }
        consumer.commitSync();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.cfg.Configuration;

/** Faulty: a worker reads the whole day in one Hibernate session and never clears it. */
public final class HibernateSession {

    private static final int READINGS = 30_000;

    private static long points;

    /** A row of a meter; H2 makes it up. */
    @Entity(name = "Reading")
    @Immutable
    @Subselect(
            "select x as id, 'meter ' || x as meter, repeat('watt ' || x || ';', 250) as curve"
                    + " from system_range(1, 10000000)")
    public static class Reading {
        @Id private long id;

        @Column private String meter;

        @Column(length = 10_000)
        private String curve;
    }

    private static long read(Session session, long id) {
        Reading reading = session.find(Reading.class, id);
        return reading.curve.split(";").length + reading.meter.length();
    }

    public static void main(String... args) {
        Configuration configuration = new Configuration().addAnnotatedClass(Reading.class);
        configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:meters");
        try (SessionFactory factory = configuration.buildSessionFactory();
                Session session = factory.openSession()) {
            Load.spread(READINGS, args, number -> points += read(session, number + 1));
            System.out.println("points " + points);
            System.exit(0);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Healthy: requests of a shop write and read H2 through MyBatis, each with a session of its own,
 * which it closes; the table has a fixed number of rows.
 */
public final class MybatisShop {

    private static final int REQUESTS_A_SECOND = 300;

    private static final int ROWS = 10_000;

    private static final AtomicLong READ = new AtomicLong();

    /** The statements. */
    public interface Orders {
        @Update("CREATE TABLE orders(id INT PRIMARY KEY, text VARCHAR)")
        void create();

        @Insert("MERGE INTO orders VALUES(#{id}, #{text})")
        int store(@Param("id") int id, @Param("text") String text);

        @Select("SELECT id, text FROM orders WHERE id BETWEEN #{id} AND #{id} + 20")
        List<Map<String, Object>> near(@Param("id") int id);
    }

    private static void request(SqlSessionFactory factory, int number) {
        try (SqlSession session = factory.openSession()) {
            Orders orders = session.getMapper(Orders.class);
            orders.store(number % ROWS, "order " + number + " of " + "something ".repeat(10));
            READ.addAndGet(orders.near(number * 7 % ROWS).size());
            session.commit();
        }
    }

    public static void main(String... args) throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:orders");
        ExecutorService workers = Executors.newFixedThreadPool(3);
        try (HikariDataSource source = new HikariDataSource(config)) {
            Configuration mybatis =
                    new Configuration(
                            new Environment("shop", new JdbcTransactionFactory(), source));
            mybatis.addMapper(Orders.class);
            SqlSessionFactory factory = new SqlSessionFactoryBuilder().build(mybatis);
            try (SqlSession session = factory.openSession(true)) {
                session.getMapper(Orders.class).create();
            }
            Load.at(
                    REQUESTS_A_SECOND,
                    args,
                    number -> workers.execute(() -> request(factory, number)));
            workers.shutdown();
            System.out.println("done " + workers.awaitTermination(20, TimeUnit.SECONDS));
        }
        System.out.println("read " + READ);
    }
}

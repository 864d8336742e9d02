// JDBC: rows in, numbers out, a sketch kept as bytes. Needs shop.sql and the driver (Debian: libpostgresql-jdbc-java).
// java -cp /usr/share/java/postgresql.jar Jdbc.java "jdbc:postgresql://localhost/shop?user=app"
import java.sql.*;
import java.time.OffsetDateTime;
import java.util.*;

public class Jdbc {
    public static void main(String[] args) throws SQLException {
        try (Connection db = DriverManager.getConnection(args[0])) {
            OffsetDateTime today = OffsetDateTime.parse("2026-03-30T00:00:00Z");
            UUID[] visitors = new UUID[1000];
            Arrays.setAll(visitors, i -> new UUID(0, i));
            db.setAutoCommit(false);

            // Rows, as a batch. The rollup follows in the same transaction.
            try (PreparedStatement insert = db.prepareStatement("INSERT INTO events VALUES (?, ?, 'DE', '/', ?)")) {
                for (int i = 0; i < visitors.length; i++) {
                    insert.setObject(1, today);
                    insert.setObject(2, visitors[i]);
                    insert.setDouble(3, 10 + i / 10.0);
                    insert.addBatch();
                }
                insert.executeBatch();
            }

            // Users and percentiles since a time.
            try (PreparedStatement query = db.prepareStatement("""
                    SELECT country, hll_union_cardinality_agg(users) AS users, tdigest_union_percentiles_agg(latency, ?) AS ms
                    FROM hourly WHERE hour >= ? GROUP BY country ORDER BY country""")) {
                query.setArray(1, db.createArrayOf("float8", new Double[] {0.5, 0.99}));
                query.setObject(2, today.minusDays(7));
                ResultSet row = query.executeQuery();
                while (row.next()) {
                    Double[] ms = (Double[]) row.getArray("ms").getArray();
                    System.out.printf(Locale.ROOT, "%s %d users, p50 and p99: %.1f, %.1f%n",
                            row.getString("country"), row.getLong("users"), ms[0], ms[1]);
                }
            }

            // How many of these 200 came today? The answer is an estimate, as every overlap of sketches.
            UUID[] mine = new UUID[200];
            Arrays.setAll(mine, i -> i < 100 ? visitors[900 + i] : new UUID(1, i));
            try (PreparedStatement query = db.prepareStatement("""
                    SELECT hll_intersection_cardinality(hll_union_agg(users), hll_add_all(hll_empty(), ?))
                    FROM hourly WHERE hour >= ?""")) {
                query.setArray(1, db.createArrayOf("uuid", mine));
                query.setObject(2, today);
                ResultSet row = query.executeQuery();
                row.next();
                System.out.println("of my 200: " + row.getLong(1));
            }

            // A sketch is bytes for a file or a cache, and comes back by a cast. Without ::bytea, getBytes would return the
            // characters of its text.
            byte[] kept;
            try (PreparedStatement query = db.prepareStatement("SELECT hll_union_agg(users)::bytea FROM hourly WHERE hour >= ?")) {
                query.setObject(1, today);
                ResultSet row = query.executeQuery();
                row.next();
                kept = row.getBytes(1);
            }
            try (PreparedStatement query = db.prepareStatement("SELECT hll_cardinality(?::hll | hll_union_agg(users)) FROM hourly WHERE hour < ?")) {
                query.setBytes(1, kept);
                query.setObject(2, today);
                ResultSet row = query.executeQuery();
                row.next();
                System.out.println(kept.length + " bytes kept, both: " + row.getLong(1));
            }
            db.rollback();                      // an example leaves nothing behind
        }
    }
}

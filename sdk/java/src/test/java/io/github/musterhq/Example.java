package io.github.musterhq;

import java.sql.PreparedStatement;
import java.util.HashMap;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/** An endpoint of class A that credits points in your own table: once, however often Muster calls. */
public final class Example {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> environment = System.getenv();
    var database = new PGSimpleDataSource();
    database.setUrl(environment.get("JDBC_URL"));
    var store = new PostgresStore(database);
    store.createTables();
    BatchEndpoint.Action credit =
        (call, users, transaction) -> {
          Map<String, Outcome> outcomes = new HashMap<>();
          String insert = "insert into points (run, step, user_id, points) values (?, ?, ?, 1)";
          try (PreparedStatement statement = transaction.prepareStatement(insert)) {
            for (String user : users) {
              statement.setString(1, call.run());
              statement.setInt(2, call.step());
              statement.setString(3, user);
              statement.executeUpdate();
              outcomes.put(user, Outcome.SUCCEEDED);
            }
          }
          return outcomes;
        };
    var contractClass = BatchEndpoint.ContractClass.valueOf(environment.getOrDefault("CLASS", "A"));
    var server = new BatchEndpoint(contractClass, credit, store)
        .createServer(Integer.parseInt(environment.getOrDefault("PORT", "9040")));
    server.start();
    System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
  }
}

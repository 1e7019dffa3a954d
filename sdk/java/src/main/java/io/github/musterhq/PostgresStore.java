package io.github.musterhq;

import com.fasterxml.jackson.core.type.TypeReference;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Commits effects in its transaction together with the results that prevent their repetition. Give it a pool of
 * connections.
 */
public final class PostgresStore implements Store {
  /** Creates the tables once, even if two instances start at the same time. */
  private static final String TABLES =
      """
      select pg_advisory_xact_lock(4021861330);
      create table if not exists muster_results (
        run text, step int, user_id text, outcome text, at timestamptz not null default now(),
        primary key (run, step, user_id)
      );
      create table if not exists muster_answers (
        key text primary key, digest text not null, answer text, at timestamptz not null default now()
      );
      create table if not exists muster_received (
        id text primary key, awaited_attempt int, at timestamptz not null default now()
      )""";

  /** Inserts users in the order of ids, so that two calls for the same users wait for each other and never deadlock. */
  private static final String CLAIM =
      """
      insert into muster_results (run, step, user_id, outcome)
      select ?, ?, u, ? from json_array_elements_text(?::json) u order by u collate "C"
      on conflict do nothing returning user_id""";

  private static final String RECORD =
      """
      update muster_results set outcome = given.value
      from json_each_text(?::json) given where run = ? and step = ? and user_id = given.key""";

  private static final String OF_USERS =
      " where run = ? and step = ? and user_id in (select json_array_elements_text(?::json))";

  private final DataSource database;

  public PostgresStore(DataSource database) {
    this.database = database;
  }

  /** Creates the tables {@code muster_…} unless they exist. */
  public void createTables() throws Exception {
    in(true, records -> update(records.transaction(), TABLES));
  }

  /** Deletes old records. Keep records for at least {@code keyLifeSeconds}, because repeats need them. */
  public void forget(int olderThanDays) throws Exception {
    for (String table : List.of("muster_results", "muster_answers", "muster_received")) {
      String statement = "delete from " + table + " where at < now() - ? * interval '1 day'";
      in(true, records -> update(records.transaction(), statement, olderThanDays));
    }
  }

  @Override
  public <Result> Result in(boolean isKept, Statements<Result> statements) throws Exception {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      // A statement that has waited for another call has to see the rows which that call committed.
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      try {
        Result result = statements.run(new Rows(connection));
        if (isKept) connection.commit();
        else connection.rollback();
        return result;
      } catch (Throwable error) {
        connection.rollback();
        throw error;
      } finally {
        connection.setAutoCommit(true);
      }
    }
  }

  private record Rows(Connection transaction) implements Records {
    @Override
    public List<String> claim(Call call, Outcome outcome) throws SQLException {
      Set<String> claimed = new HashSet<>();
      String text = outcome == null ? null : Json.write(outcome);
      String users = Json.write(call.users());
      each(rows -> claimed.add(rows.getString(1)), transaction, CLAIM, call.run(), call.step(), text, users);
      return call.users().stream().filter(claimed::contains).toList();
    }

    @Override
    public Map<String, Outcome> read(String run, int step, List<String> users) throws SQLException {
      Map<String, Outcome> known = new HashMap<>();
      String select = "select user_id, outcome from muster_results" + OF_USERS + " and outcome is not null";
      each(
          rows -> known.put(rows.getString(1), Json.parse(rows.getString(2), new TypeReference<>() {})),
          transaction, select, run, step, Json.write(users));
      return known;
    }

    @Override
    public void record(Call call, Map<String, Outcome> outcomes) throws SQLException {
      Map<String, String> kept = new HashMap<>();
      outcomes.forEach((user, outcome) -> kept.put(user, outcome == null ? null : Json.write(outcome)));
      List<String> removed = outcomes.keySet().stream().filter(user -> outcomes.get(user) == null).toList();
      kept.keySet().removeAll(removed);
      update(transaction, RECORD, Json.write(kept), call.run(), call.step());
      String delete = "delete from muster_results" + OF_USERS;
      if (!removed.isEmpty()) update(transaction, delete, call.run(), call.step(), Json.write(removed));
    }

    @Override
    public Answer claimKey(Call call) throws SQLException {
      String insert = "insert into muster_answers (key, digest) values (?, ?) on conflict do nothing";
      if (update(transaction, insert, call.key(), call.digest()) == 1) return null;
      List<Answer> found = new ArrayList<>();
      each(
          rows -> found.add(new Answer(rows.getString(1), Json.parse(rows.getString(2), new TypeReference<>() {}))),
          transaction, "select digest, answer from muster_answers where key = ?", call.key());
      return found.get(0);
    }

    @Override
    public void answer(Call call, Map<String, Outcome> outcomes) throws SQLException {
      update(transaction, "update muster_answers set answer = ? where key = ?", Json.write(outcomes), call.key());
    }

    @Override
    public Integer claimCallback(String id) throws SQLException {
      // Locks the row of the call, so that a repeat waits for the end of this transaction.
      String insert = "insert into muster_received (id) values (?) on conflict do nothing";
      if (update(transaction, insert, id) == 1) return 0;
      List<Integer> awaited = new ArrayList<>();
      String select = "select awaited_attempt from muster_received where id = ? for update";
      each(rows -> awaited.add(rows.getObject(1, Integer.class)), transaction, select, id);
      return awaited.get(0);
    }

    @Override
    public void awaitReport(String id, Integer attempt) throws SQLException {
      update(transaction, "update muster_received set awaited_attempt = ? where id = ?", attempt, id);
    }
  }

  private interface ReadRow {
    void read(ResultSet row) throws SQLException;
  }

  private static void each(ReadRow row, Connection connection, String text, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, text, values);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) row.read(rows);
    }
  }

  private static int update(Connection connection, String text, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(connection, text, values)) {
      statement.execute();
      return statement.getUpdateCount();
    }
  }

  private static PreparedStatement prepare(Connection connection, String text, Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(text);
    for (int place = 0; place < values.length; place++) {
      if (values[place] instanceof Integer number) statement.setInt(place + 1, number);
      else if (values[place] instanceof String value) statement.setString(place + 1, value);
      else statement.setNull(place + 1, java.sql.Types.OTHER);
    }
    return statement;
  }
}

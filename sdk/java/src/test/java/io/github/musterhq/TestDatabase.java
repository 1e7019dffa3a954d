package io.github.musterhq;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.postgresql.ds.PGSimpleDataSource;

/** The Postgres of JDBC_URL; tests that need one are skipped without it. */
final class TestDatabase {
  private TestDatabase() {}

  static PGSimpleDataSource open() {
    String url = System.getenv("JDBC_URL");
    assumeTrue(url != null, "needs JDBC_URL");
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(url);
    return database;
  }

  static PostgresStore store() throws Exception {
    PostgresStore store = new PostgresStore(open());
    store.createTables();
    return store;
  }
}

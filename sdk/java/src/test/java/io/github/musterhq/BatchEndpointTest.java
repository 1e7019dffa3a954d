package io.github.musterhq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.musterhq.BatchEndpoint.ContractClass;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.postgresql.ds.PGSimpleDataSource;

class BatchEndpointTest {
  /** The action that the vectors describe. */
  private static final class VectorAction implements BatchEndpoint.Action {
    final List<String> given = new ArrayList<>();

    @Override
    public Map<String, Outcome> give(Call call, List<String> users, Connection transaction) throws Exception {
      given.addAll(users);
      JsonNode params = call.params();
      if (params.path("crash").asBoolean()) throw new IllegalStateException("the action failed, as the vector wants");
      if (params.path("refuse").asBoolean())
        throw new Refusal("unknown-reward", "/action/params/rewardId", "ride-9", "no such reward");
      if (params.has("waitSeconds")) throw Refusal.notNow(params.path("waitSeconds").asInt());
      Map<String, Outcome> outcomes = new HashMap<>();
      users.forEach(user -> outcomes.put(user, outcomeOf(user)));
      if (params.path("forget").asBoolean()) outcomes.remove(users.get(users.size() - 1));
      return outcomes;
    }

    private static Outcome outcomeOf(String user) {
      if (user.startsWith("sold-out")) return Outcome.failed("out-of-stock", "none are left");
      return user.startsWith("busy") ? Outcome.failedForNow("busy", "try again") : Outcome.SUCCEEDED;
    }
  }

  @TestFactory
  Stream<DynamicTest> endpointOfMemoryAnswersTheVectors() {
    return Vectors.each(Vectors.ALL.path("batches"), vector -> play(vector, new MemoryStore(), ""));
  }

  @TestFactory
  Stream<DynamicTest> endpointOfPostgresAnswersTheVectors() throws Exception {
    PostgresStore store = TestDatabase.store();
    return Vectors.each(Vectors.ALL.path("batches"), vector -> play(vector, store, UUID.randomUUID() + "-"));
  }

  @Test
  void forgetsWhatIsOlderThanRepeats() throws Exception {
    PostgresStore store = TestDatabase.store();
    for (JsonNode vector : Vectors.ALL.path("batches"))
      if (vector.path("name").asText().startsWith("class A: a repeat")) play(vector, store, UUID.randomUUID() + "-");
    try (Connection connection = TestDatabase.open().getConnection();
        Statement statement = connection.createStatement()) {
      assertTrue(statement.executeUpdate("update muster_results set at = now() - interval '2 days'") > 0);
      store.forget(1);
      ResultSet rows = statement.executeQuery("select count(*) from muster_results");
      rows.next();
      assertEquals(0, rows.getInt(1));
    }
  }

  @Test
  void postponesCallsWithoutItsDatabase() throws Exception {
    PGSimpleDataSource none = new PGSimpleDataSource();
    none.setUrl("jdbc:postgresql://127.0.0.1:1/none");
    VectorAction action = new VectorAction();
    BatchEndpoint endpoint = new BatchEndpoint(ContractClass.A, action, new PostgresStore(none));
    byte[] body = Vectors.ALL.path("call").path("body").toString().getBytes(StandardCharsets.UTF_8);
    Reply reply = endpoint.handle("POST", "/", Vectors.texts(Vectors.ALL.path("call").path("headers")), body);
    assertEquals(503, reply.status());
    assertEquals(Map.of("Retry-After", "1"), reply.headers());
    assertEquals(List.of(), action.given);
  }

  /** Plays a vector with its own prefix of keys and runs, because the database outlives the test. */
  private static void play(JsonNode vector, Store store, String prefix) throws Exception {
    VectorAction action = new VectorAction();
    BatchEndpoint endpoint = endpointOf(vector.path("endpoint"), action, store);
    JsonNode base = Vectors.ALL.path("call");
    for (JsonNode call : vector.path("calls")) {
      action.given.clear();
      Map<String, String> headers = Vectors.texts(Vectors.merged(base.path("headers"), call.path("headers")));
      String text = call.has("text") ? call.path("text").asText() : Vectors.merged(base.path("body"), call.path("body")).toString();
      byte[] body = text.replace("\"run_", "\"" + prefix + "run_").getBytes(StandardCharsets.UTF_8);
      headers.computeIfPresent("idempotency-key", (name, key) -> prefix + key);
      if (call.has("signedAs")) {
        String secret = vector.path("endpoint").path("signingSecrets").path(0).asText();
        headers = Vectors.signed(headers, secret, prefix + call.path("signedAs").asText(), body);
      }
      String method = call.path("method").asText(base.path("method").asText());
      String path = call.path("path").asText(base.path("path").asText());
      Reply reply = endpoint.handle(method, path, headers, body);
      JsonNode expected = call.path("expect");
      String content = new String(reply.content(), StandardCharsets.UTF_8);
      assertEquals(expected.path("status").asInt(), reply.status(), content);
      Map<String, String> replied = Signatures.named(reply.headers());
      Vectors.texts(expected.path("headers")).forEach((name, value) -> assertEquals(value, replied.get(name)));
      assertEquals(Vectors.list(expected.path("given")), action.given);
      JsonNode found = Json.MAPPER.readTree(prefix.isEmpty() ? content : content.replace(prefix, ""));
      assertBody(expected.path("body"), found, reply.status() < 300);
    }
  }

  private static BatchEndpoint endpointOf(JsonNode terms, VectorAction action, Store store) {
    BatchEndpoint endpoint = new BatchEndpoint(ContractClass.valueOf(terms.path("class").asText()), action, store);
    if (terms.path("answerForm").asText().equals("compact")) endpoint.compact();
    if (terms.path("isAccepting").asBoolean()) endpoint.accepting();
    if (terms.has("authorization")) endpoint.authorization(terms.path("authorization").asText());
    if (terms.has("signingSecrets")) endpoint.signingSecrets(Vectors.list(terms.path("signingSecrets")));
    if (terms.has("maxUsers")) endpoint.maxUsers(terms.path("maxUsers").asInt());
    if (terms.has("maxBodyBytes")) endpoint.maxBodyBytes(terms.path("maxBodyBytes").asInt());
    return endpoint;
  }

  private static void assertBody(JsonNode expected, JsonNode found, boolean isWhole) {
    if (isWhole) assertEquals(withoutDefaults(expected), withoutDefaults(found));
    else expected.properties().forEach(field -> assertEquals(field.getValue(), found.path(field.getKey())));
  }

  /** Removes {@code retryable: false}, which an answer may omit. */
  private static JsonNode withoutDefaults(JsonNode value) {
    JsonNode copy = value.deepCopy();
    for (JsonNode parent : copy.findParents("retryable"))
      if (!parent.path("retryable").asBoolean()) ((ObjectNode) parent).remove("retryable");
    return copy;
  }
}

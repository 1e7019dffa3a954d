package io.github.musterhq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class JobsClientTest {
  private static final Pattern GENERATED = Pattern.compile("\"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\"");

  @TestFactory
  Stream<DynamicTest> jobsAreRequestedAsTheVectorsSay() {
    return Vectors.each(Vectors.ALL.path("jobs"), JobsClientTest::play);
  }

  @Test
  void jobsOfMusterAreScheduledFoundMovedAndCancelled() {
    String url = System.getenv("MUSTER_URL");
    assumeTrue(url != null, "needs MUSTER_URL");
    JobsClient client = new JobsClient(url, System.getenv("MUSTER_API_KEY"));
    Map<String, Object> wanted =
        Map.of("client", "orders", "url", "https://shop.test/hook", "delaySeconds", 60, "idempotencyKey", "order-17");
    String id = client.schedule(wanted).path("id").asText();
    assertTrue(client.schedule(wanted).path("duplicate").asBoolean());
    JsonNode many = client.scheduleMany("orders", List.of(Map.of("url", "https://shop.test/hook")));
    assertEquals("accepted", many.path("results").path(0).path("status").asText());
    assertEquals("pending", client.job(id).path("state").asText());
    assertEquals(id, client.reschedule(id, Map.of("delaySeconds", 120)).path("id").asText());
    Set<String> listed = new HashSet<>();
    client.jobs(Map.of("client", "orders"), job -> listed.add(job.path("id").asText()));
    assertTrue(listed.contains(id));
    assertEquals(1, client.findMany("orders", Map.of("idempotencyKeys", List.of("order-17"))).path("results").size());
    assertEquals("cancelled", client.cancel(id).path("result").asText());
    assertEquals(1, client.resend("orders", Map.of("ids", List.of(id))).path("results").size());
    var problem = assertThrows(JobsClient.MusterProblem.class, () -> client.job("job_01h455vb4pex5vsknk084sn02q"));
    assertEquals(404, problem.status);
    assertEquals("job-not-found", problem.code);
  }

  private static void play(JsonNode vector) throws Exception {
    List<Duration> waits = new ArrayList<>();
    try (Vectors.PlayedMuster muster = new Vectors.PlayedMuster(vector.path("answers"))) {
      JobsClient client =
          new JobsClient(muster.url(), "key", new Sender(vector.path("retries").asInt(5), waits::add));
      if (vector.has("problem")) {
        var problem = assertThrows(JobsClient.MusterProblem.class, () -> call(client, vector));
        assertEquals(vector.path("problem").path("code").asText(), problem.code);
        assertEquals(vector.path("problem").path("status").asInt(), problem.status);
        assertEquals(vector.path("problem").path("message").asText(), problem.getMessage());
      } else if (vector.has("unavailable")) {
        var unavailable = assertThrows(JobsClient.MusterUnavailable.class, () -> call(client, vector));
        assertEquals(vector.path("unavailable").path("code").asText(), unavailable.code);
        assertEquals(vector.path("unavailable").path("status").asInt(), unavailable.status);
      } else assertEquals(vector.path("result"), call(client, vector));
      assertRequests(vector.path("requests"), muster.requests);
    }
    if (vector.path("name").asText().contains("refused for now"))
      assertEquals(List.of(Duration.ZERO, Duration.ofSeconds(2)), waits);
  }

  private static JsonNode call(JobsClient client, JsonNode vector) {
    String id = vector.path("id").asText();
    String name = vector.path("client").asText();
    Map<String, Object> named = vector.has("named") ? Vectors.map(vector.path("named")) : Map.of();
    return switch (vector.path("call").asText()) {
      case "schedule" -> client.schedule(Vectors.map(vector.path("job")));
      case "scheduleMany" ->
          client.scheduleMany(
              name, StreamSupport.stream(vector.path("jobs").spliterator(), false).map(Vectors::map).toList());
      case "job" -> client.job(id);
      case "jobs" -> {
        ArrayNode found = Json.MAPPER.createArrayNode();
        client.jobs(Vectors.texts(vector.path("query")), found::add);
        yield found;
      }
      case "cancel" -> client.cancel(id);
      case "reschedule" -> client.reschedule(id, Vectors.map(vector.path("due")));
      case "runNow" -> client.runNow(id);
      case "findMany" -> client.findMany(name, named);
      case "cancelMany" -> client.cancelMany(name, named);
      case "resend" -> client.resend(name, named);
      default -> throw new IllegalArgumentException(vector.path("call").asText());
    };
  }

  private static void assertRequests(JsonNode expected, List<Vectors.Request> requests) throws Exception {
    assertEquals(expected.size(), requests.size());
    Set<String> keys = new HashSet<>();
    for (int place = 0; place < requests.size(); place++) {
      JsonNode wanted = expected.path(place);
      Vectors.Request request = requests.get(place);
      assertEquals("Bearer key", request.headers().get("authorization"));
      assertEquals(wanted.path("method").asText() + " " + wanted.path("path").asText(), request.method() + " " + request.path());
      Matcher generated = GENERATED.matcher(request.body().toString());
      while (generated.find()) keys.add(generated.group(1));
      String masked = request.body().isMissingNode() ? "null" : generated.reset().replaceAll("\"*\"");
      assertEquals(wanted.path("body").isMissingNode() ? Json.MAPPER.nullNode() : wanted.path("body"), Json.MAPPER.readTree(masked));
      if (wanted.has("idempotencyKey")) keys.add(request.headers().get("idempotency-key"));
    }
    assertTrue(keys.size() <= 1, () -> "generated keys: " + keys);
  }
}

package io.github.musterhq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class CallbacksTest {
  @TestFactory
  Stream<DynamicTest> signaturesAreVerifiedAsTheVectorsSay() {
    return Vectors.each(Vectors.ALL.path("signatures"), vector -> {
      Map<String, String> headers = Vectors.texts(vector.path("headers"));
      byte[] body = vector.path("body").asText().getBytes(StandardCharsets.UTF_8);
      List<String> secrets = Vectors.list(vector.path("secrets"));
      Instant now = Instant.ofEpochSecond(vector.path("now").asLong());
      if (vector.path("isValid").asBoolean())
        assertEquals("msg_p5jXN8AQM9LWM0D4loKWxJek", Signatures.verify(headers, body, secrets, now));
      else assertThrows(Signatures.UnverifiedCall.class, () -> Signatures.verify(headers, body, secrets, now));
    });
  }

  @TestFactory
  Stream<DynamicTest> receiverOfMemoryAnswersTheVectors() {
    return Vectors.each(Vectors.ALL.path("receivers").path("vectors"), vector -> play(vector, new MemoryStore()));
  }

  @TestFactory
  Stream<DynamicTest> receiverOfPostgresAnswersTheVectors() throws Exception {
    PostgresStore store = TestDatabase.store();
    return Vectors.each(Vectors.ALL.path("receivers").path("vectors"), vector -> play(vector, store));
  }

  private static void play(JsonNode vector, Store store) {
    List<String> done = new ArrayList<>();
    String suffix = UUID.randomUUID().toString();
    String secret = Vectors.ALL.path("receivers").path("secret").asText();
    CallbackReceiver.Work work =
        (callback, transaction) -> {
          done.add(callback.id());
          String body = new String(callback.body(), StandardCharsets.UTF_8);
          if (body.equals("fail")) throw new IllegalStateException("the work failed, as the vector wants");
          return body.equals("later");
        };
    CallbackReceiver receiver = new CallbackReceiver(work, List.of(secret), store, "https://muster.test");
    for (JsonNode call : vector.path("calls")) {
      Map<String, String> headers = new HashMap<>(Map.of("muster-attempt", call.path("attempt").asText()));
      if (call.path("reports").asBoolean())
        headers.putAll(Vectors.texts(Vectors.ALL.path("invitations").path(0).path("headers")));
      byte[] body = call.path("body").asText().getBytes(StandardCharsets.UTF_8);
      String by = call.path("secret").asText(secret);
      Map<String, String> signed = Vectors.signed(headers, by, call.path("id").asText() + suffix, body);
      assertEquals(call.path("expect").path("status").asInt(), receiver.handle("POST", "/", signed, body).status());
      assertEquals(call.path("expect").path("done").asInt(), done.size());
    }
  }

  @TestFactory
  Stream<DynamicTest> reportsAreInvitedAsTheVectorsSay() {
    return Vectors.each(Vectors.ALL.path("invitations"), vector -> {
      String url = vector.path("musterUrl").textValue();
      Object found = Reports.invitationIn(Vectors.texts(vector.path("headers")), url);
      assertEquals(vector.path("invitation"), Json.MAPPER.valueToTree(found));
    });
  }

  @TestFactory
  Stream<DynamicTest> reportsAreSentAsTheVectorsSay() {
    return Vectors.each(Vectors.ALL.path("reports"), vector -> {
      try (Vectors.PlayedMuster muster = new Vectors.PlayedMuster(vector.path("answers"))) {
        Reports.Invitation invitation = new Reports.Invitation(muster.url() + "/report", "v1.a.b", 60);
        Map<String, Object> content = Vectors.map(vector.path("report"));
        if (vector.has("refused")) {
          var refused = assertThrows(Reports.RefusedReport.class, () -> reports().report(invitation, content));
          Vectors.assertRefused(vector, refused.status, refused.code);
        } else assertEquals(vector.path("result").asText(), reports().report(invitation, content));
        assertEquals(vector.path("answers").size(), muster.requests.size());
        for (Vectors.Request request : muster.requests) {
          assertEquals("Bearer v1.a.b", request.headers().get("authorization"));
          assertEquals(vector.path("report"), request.body());
        }
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> receiptsAreSentAsTheVectorsSay() {
    return Vectors.each(Vectors.ALL.path("receipts"), vector -> {
      try (Vectors.PlayedMuster muster = new Vectors.PlayedMuster(vector.path("answers"))) {
        String secret = vector.path("secret").asText();
        List<Map<String, Object>> receipts =
            StreamSupport.stream(vector.path("receipts").spliterator(), false).map(Vectors::map).toList();
        if (vector.has("refused")) {
          var refused =
              assertThrows(
                  Reports.RefusedReport.class, () -> reports().sendReceipts(muster.url(), secret, receipts));
          Vectors.assertRefused(vector, refused.status, refused.code);
        } else {
          List<JsonNode> problems = reports().sendReceipts(muster.url(), secret, receipts);
          assertEquals(vector.path("result"), Json.MAPPER.valueToTree(problems));
        }
        assertEquals(vector.path("answers").size(), muster.requests.size());
        for (Vectors.Request request : muster.requests) assertEquals(vector.path("receipts"), request.body().path("receipts"));
      }
    });
  }

  private static Reports reports() {
    return new Reports(new Sender(10, duration -> {}));
  }
}

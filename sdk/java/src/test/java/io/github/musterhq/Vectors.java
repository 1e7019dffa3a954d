package io.github.musterhq;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** Test vectors that the kits of all languages share, and a server that plays Muster. */
final class Vectors {
  static final JsonNode ALL = read();

  private Vectors() {}

  private static JsonNode read() {
    try {
      return Json.MAPPER.readTree(Files.readAllBytes(Path.of("../kits/vectors.json")));
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  static Stream<DynamicTest> each(JsonNode vectors, ThrowingConsumer<JsonNode> play) {
    Function<JsonNode, String> name = vector -> vector.path("name").asText();
    return DynamicTest.stream(StreamSupport.stream(vectors.spliterator(), false), name, play);
  }

  static Map<String, String> texts(JsonNode fields) {
    Map<String, String> texts = new HashMap<>();
    fields.properties().forEach(field -> texts.put(field.getKey(), field.getValue().asText()));
    return texts;
  }

  static List<String> list(JsonNode values) {
    return StreamSupport.stream(values.spliterator(), false).map(JsonNode::asText).toList();
  }

  static Map<String, Object> map(JsonNode fields) {
    return Json.MAPPER.convertValue(fields, new com.fasterxml.jackson.core.type.TypeReference<Map<String, Object>>() {});
  }

  /** Returns the fields with changes; null removes a field. */
  static ObjectNode merged(JsonNode base, JsonNode change) {
    ObjectNode all = base.deepCopy();
    change.properties().forEach(field -> all.set(field.getKey(), field.getValue()));
    List<String> removed = new ArrayList<>();
    all.properties().forEach(field -> {
      if (field.getValue().isNull()) removed.add(field.getKey());
    });
    all.remove(removed);
    return all;
  }

  static Map<String, String> signed(Map<String, String> headers, String secret, String id, byte[] body) {
    long now = Instant.now().getEpochSecond();
    Map<String, String> all = new HashMap<>(headers);
    all.put("webhook-id", id);
    all.put("webhook-timestamp", String.valueOf(now));
    all.put("webhook-signature", Signatures.sign(secret, id, now, body));
    return all;
  }

  record Request(String method, String path, Map<String, String> headers, JsonNode body) {}

  /** Returns the given answers one after another, and records requests. {@code lost} closes the connection instead. */
  static final class PlayedMuster implements AutoCloseable {
    final List<Request> requests = new ArrayList<>();
    private final HttpServer server;

    PlayedMuster(JsonNode answers) throws IOException {
      server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
      server.createContext("/", exchange -> {
        try (exchange) {
          Map<String, String> headers = new HashMap<>();
          exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(), values.get(0)));
          JsonNode body = Json.read(exchange.getRequestBody().readAllBytes());
          String path = normalized(exchange.getRequestURI());
          requests.add(new Request(exchange.getRequestMethod(), path, Signatures.named(headers), body));
          JsonNode answer = answers.path(requests.size() - 1);
          if (answer.isTextual() || answer.isMissingNode()) return;
          byte[] content = (answer.has("text") ? answer.path("text").asText() : answer.path("body").toString()).getBytes();
          texts(answer.path("headers")).forEach(exchange.getResponseHeaders()::set);
          exchange.sendResponseHeaders(answer.path("status").asInt(), content.length == 0 ? -1 : content.length);
          exchange.getResponseBody().write(content);
        }
      });
      server.start();
    }

    String url() {
      return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  private static String normalized(URI address) {
    if (address.getRawQuery() == null) return address.getRawPath();
    String[] query = address.getRawQuery().split("&");
    Arrays.sort(query);
    return address.getRawPath() + "?" + String.join("&", query);
  }

  static void assertRefused(JsonNode vector, int status, String code) {
    assertEquals(vector.path("refused").path("status").asInt(), status);
    assertEquals(vector.path("refused").path("code").asText(), code);
  }
}

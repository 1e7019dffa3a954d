package io.github.musterhq;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Sends requests whose repeats have no second effect. Repeats a refused request, or one whose answer was lost. */
final class Sender {
  private static final Duration USUAL_WAIT = Duration.ofMillis(500);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
  private static final Set<Integer> FOR_NOW = Set.of(429, 502, 503, 504);

  /** An answer. Its fields are a missing node if the body is no JSON. */
  record Answer(int status, String retryAfter, JsonNode fields) {
    Duration waiting() {
      if (!retryAfter.matches("[0-9]{1,6}")) return USUAL_WAIT;
      Duration requested = Duration.ofSeconds(Long.parseLong(retryAfter));
      return requested.compareTo(LONGEST_WAIT) < 0 ? requested : LONGEST_WAIT;
    }
  }

  interface Sleep {
    void apply(Duration duration) throws InterruptedException;
  }

  /** Follows no redirect, because a redirect would send the key to another server. */
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  private final int retries;
  private final Sleep sleep;

  Sender(int retries, Sleep sleep) {
    this.retries = retries;
    this.sleep = sleep;
  }

  static Sender of(int retries) {
    return new Sender(retries, duration -> Thread.sleep(duration.toMillis()));
  }

  /**
   * Returns the last answer.
   *
   * @param headers of each attempt
   * @throws IOException if there was no answer
   */
  Answer send(String method, String url, byte[] body, Supplier<Map<String, String>> headers, Predicate<Answer> isForNow)
      throws IOException, InterruptedException {
    for (int left = retries; ; left--) {
      Duration wait = USUAL_WAIT;
      try {
        Answer answer = sendOnce(method, url, body, headers.get());
        boolean isWorthARepeat = FOR_NOW.contains(answer.status()) || isForNow.test(answer);
        if (left <= 0 || !isWorthARepeat) return answer;
        wait = answer.waiting();
      } catch (IOException error) {
        if (left <= 0) throw error;
      }
      sleep.apply(wait);
    }
  }

  private Answer sendOnce(String method, String url, byte[] body, Map<String, String> headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(Duration.ofSeconds(30))
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    if (body.length > 0) request.header("content-type", "application/json");
    headers.forEach(request::header);
    HttpResponse<byte[]> response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    String retryAfter = response.headers().firstValue("retry-after").orElse("");
    return new Answer(response.statusCode(), retryAfter, Json.read(response.body()));
  }
}

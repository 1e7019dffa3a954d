package io.github.musterhq;

import java.util.Map;

/**
 * Answer to a request.
 *
 * @param body written as JSON; null for none
 */
public record Reply(int status, Object body, Map<String, String> headers) {
  /** Returns the body as it is sent. */
  public byte[] content() {
    return body == null ? new byte[0] : Json.write(body).getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}

package io.github.musterhq;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Outcome of one user: {@code succeeded} or {@code failed}; in class C also {@code in-progress} or {@code not-found}.
 *
 * @param code of a failure, 1 to 64 of {@code A-Z a-z 0-9 . _ -}; otherwise null
 * @param message for people, or null
 * @param retryable null unless true, which also asserts that nothing was applied
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Outcome(String status, String code, String message, Boolean retryable) {
  public static final Outcome SUCCEEDED = new Outcome("succeeded", null, null, null);
  static final Outcome IN_PROGRESS = new Outcome("in-progress", null, null, null);
  static final Outcome NOT_FOUND = new Outcome("not-found", null, null, null);
  private static final int MAX_MESSAGE = 500;

  public Outcome {
    if (status.equals("failed") && (code == null || !code.matches("[A-Za-z0-9._-]{1,64}")))
      throw new IllegalArgumentException("the code has to be 1 to 64 of A-Z a-z 0-9 . _ -");
    if (message != null && message.length() > MAX_MESSAGE) message = message.substring(0, MAX_MESSAGE);
  }

  /** Returns a final failure. */
  public static Outcome failed(String code, String message) {
    return new Outcome("failed", code, message, null);
  }

  /** Returns a failure that Muster retries. Nothing may have been applied for the user. */
  public static Outcome failedForNow(String code, String message) {
    return new Outcome("failed", code, message, true);
  }

  /** Returns true if a repeat gets the same outcome. */
  boolean endsUser() {
    return status.equals("succeeded") || (status.equals("failed") && retryable == null);
  }
}

package io.github.musterhq;

import java.util.Map;

/**
 * One call of a job.
 *
 * @param reportTo null unless Muster accepts a report for this call
 */
public record Callback(
    String id, int attempt, byte[] body, Map<String, String> headers, Reports.Invitation reportTo) {}

/**
 * Age in milliseconds of the oldest due job above which a client lags: the threshold of the alert `MusterClientBehind`
 * (deploy/prometheus/rules.yml).
 */
export const clientBehindAfterMs = 300_000;

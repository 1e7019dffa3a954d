/**
 * A client of which something has been due for longer is behind, in milliseconds: the bound of the alert
 * `MusterClientBehind` (deploy/prometheus/rules.yml).
 */
export const clientBehindAfterMs = 300_000;

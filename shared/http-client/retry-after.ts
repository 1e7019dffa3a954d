/**
 * Returns the milliseconds from now of a `Retry-After` header: seconds or an HTTP date (RFC 9110, section 10.2.3). Null
 * if absent or invalid. The result has no upper bound, because the caller has a deadline of its own.
 */
export function retryAfterMs(value: string | null, now: Date): number | null {
  if (value === null) return null;
  const text = value.trim();
  const wanted = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isNaN(wanted) ? null : Math.min(Math.max(wanted, 0), Number.MAX_SAFE_INTEGER);
}

/** Headers of the connection, which the HTTP client sets. */
const ofConnection: readonly string[] = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
  'proxy-connection',
];

/** Prefixes of headers that Muster sets. A receiver trusts them, so no sender may set one. */
const ofMuster: readonly string[] = ['webhook-', 'muster-'];

/** Condition of the refusal `reserved-header`, for the OpenAPI document. */
export const reservedHeaderRule = `a header is set by Muster or belongs to the connection: ${[
  ...ofConnection,
  ...ofMuster.map((prefix) => `${prefix}*`),
].join(', ')}`;

/**
 * Returns the reason why a sender may not set a header of this name, whatever its case; undefined if a sender may set
 * it.
 */
export function whyReserved(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (ofConnection.includes(lower)) return `${JSON.stringify(name)} belongs to the connection and cannot be given`;
  const prefix = ofMuster.find((each) => lower.startsWith(each));
  return prefix === undefined
    ? undefined
    : `${JSON.stringify(name)} begins with ${prefix}: Muster sets such headers, and they cannot be given`;
}

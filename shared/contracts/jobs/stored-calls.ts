import { z } from 'zod';

/** Headers without secrets: common headers of requests, and headers of every fire of a schedule. */
const harmless = new Set([
  ...['accept', 'accept-language', 'content-language', 'content-type', 'user-agent'],
  ...['traceparent', 'muster-schedule-id', 'muster-scheduled-for', 'muster-group'],
]);

/**
 * Returns true if the value of the header may be a credential for the receiver: true for all but the harmless headers.
 * @param name in lower case
 */
export function isSecretHeader(name: string): boolean {
  return !harmless.has(name);
}

export const sealedValue = z.object({
  /** Value encrypted by a secret box, bound to its header (`headerPlace`). */
  sealed: z.string(),
  /** Length in characters. */
  length: z.int(),
});

/** Stored headers by name in lower case. Values that may be secrets are encrypted; all others are in clear text. */
export const storedHeaders = z.record(z.string(), z.union([z.string(), sealedValue]));

export type StoredHeaders = z.output<typeof storedHeaders>;

/**
 * Fragment that begins the encrypted part of a stored URL. Fragments are never sent, and no accepted URL contains this
 * one.
 */
export const sealedMark = '#sealed=';

/** Splits a stored URL before its encrypted part; undefined if no part is encrypted. */
export function sealedPartOf(url: string): { open: string; sealed: string } | undefined {
  const at = url.indexOf(sealedMark);
  return at < 0 ? undefined : { open: url.slice(0, at), sealed: url.slice(at + sealedMark.length) };
}

/** Returns a stored URL for display, without its encrypted part. */
export function maskUrl(url: string): string {
  const parts = sealedPartOf(url);
  return parts ? `${parts.open}[sealed]` : url;
}

/** Returns the encryption context of a header value, which binds the value to its client and destination server. */
export function headerPlace(clientId: string, origin: string, name: string): string {
  return `call:${clientId}:${origin}:header:${name}`;
}

/** Returns the encryption context of the part of a URL after the host. */
export function targetPlace(clientId: string, origin: string): string {
  return `call:${clientId}:${origin}:target`;
}

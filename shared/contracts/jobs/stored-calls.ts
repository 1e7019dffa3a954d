import { z } from 'zod';

/** What every request says of itself, and every fire of a schedule. */
const harmless = new Set([
  ...['accept', 'accept-language', 'content-language', 'content-type', 'user-agent'],
  ...['traceparent', 'muster-schedule-id', 'muster-scheduled-for', 'muster-group'],
]);

/** Whether the value of any other header may be what opens the receiver. @param name in small letters */
export function isSecretHeader(name: string): boolean {
  return !harmless.has(name);
}

export const sealedValue = z.object({
  /** By a secret box, for the place where it stands. */
  sealed: z.string(),
  /** Of the value, in characters. */
  length: z.int(),
});

/** Headers of a job or a schedule as they are stored, by their names in small letters: what is no secret as it is. */
export const storedHeaders = z.record(z.string(), z.union([z.string(), sealedValue]));

export type StoredHeaders = z.output<typeof storedHeaders>;

/** Before what is sealed of a URL, as its fragment: those are never sent, and no URL that is accepted has this one. */
export const sealedMark = '#sealed=';

/** A URL as it is stored: what was sealed came right behind what is open. Undefined where nothing of it is sealed. */
export function sealedPartOf(url: string): { open: string; sealed: string } | undefined {
  const at = url.indexOf(sealedMark);
  return at < 0 ? undefined : { open: url.slice(0, at), sealed: url.slice(at + sealedMark.length) };
}

/** A stored URL as it is shown. */
export function shownUrl(url: string): string {
  const parts = sealedPartOf(url);
  return parts ? `${parts.open}[sealed]` : url;
}

/** What the value of a header is sealed for: it opens for no other client, and is sent to no other server. */
export function headerPlace(clientId: string, origin: string, name: string): string {
  return `call:${clientId}:${origin}:header:${name}`;
}

/** The same of what stands behind the host in a URL. */
export function targetPlace(clientId: string, origin: string): string {
  return `call:${clientId}:${origin}:target`;
}

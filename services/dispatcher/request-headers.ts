import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ClaimedJob } from './ports/call-ledger.ts';

const storedHeaders = z.record(z.string(), z.string());

/** Headers as they were accepted, names and values in turn, and which of the usual ones are among them. */
interface GivenHeaders {
  flat: readonly string[];
  hasUserAgent: boolean;
  hasContentType: boolean;
}

/** Jobs of a client mostly have the same headers. Where each has its own, what is remembered stays small. */
const remembered = new LRUCache<string, GivenHeaders>({
  max: 1000,
  maxSize: 1024 * 1024,
  sizeCalculation: (_given, text) => text.length + 1,
});
const none: GivenHeaders = { flat: [], hasUserAgent: false, hasContentType: false };

/**
 * The headers that the job was accepted with, names and values in turn, and those that every call has unless the job
 * says otherwise.
 */
export function requestHeadersOf({ headers, body }: Pick<ClaimedJob, 'headers' | 'body'>): string[] {
  const given = headers === null ? none : givenIn(headers);
  const flat = [...given.flat];
  if (!given.hasUserAgent) flat.push('user-agent', 'muster');
  if (body !== null && !given.hasContentType) flat.push('content-type', 'application/json');
  return flat;
}

function givenIn(text: string): GivenHeaders {
  const known = remembered.get(text);
  if (known) return known;
  const given = readHeaders(text);
  const named = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const read = {
    flat: Object.entries(given).flat(),
    hasUserAgent: named.has('user-agent'),
    hasContentType: named.has('content-type'),
  };
  remembered.set(text, read);
  return read;
}

/** They were checked when they were accepted; what a later version wrote differently must not stop the call. */
function readHeaders(text: string): Record<string, string> {
  const read = storedHeaders.safeParse(parsed(text));
  return read.success ? read.data : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

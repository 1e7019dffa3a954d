import { z } from 'zod';
import type { ClaimedJob } from './ports/call-ledger.ts';

const storedHeaders = z.record(z.string(), z.string());

/** The headers that the job was accepted with, names and values in turn, and those that every call has unless the job says otherwise. */
export function requestHeadersOf({ headers, body }: Pick<ClaimedJob, 'headers' | 'body'>): string[] {
  const given = headers === null ? {} : readHeaders(headers);
  const named = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const flat = Object.entries(given).flat();
  if (!named.has('user-agent')) flat.push('user-agent', 'muster');
  if (body !== null && !named.has('content-type')) flat.push('content-type', 'application/json');
  return flat;
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

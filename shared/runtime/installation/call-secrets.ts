import {
  headerPlace,
  isSecretHeader,
  sealedMark,
  sealedPartOf,
  storedHeaders,
  targetPlace,
  type StoredHeaders,
} from '../../contracts/jobs/stored-calls.ts';
import { callOriginOf, topicOf } from '../../contracts/jobs/topic-urls.ts';
import type { SecretBox } from '../configuration/secret-box.ts';

/** A call, in clear text or as stored. */
export interface CallText {
  url: string;
  /** JSON; names are in lower case. */
  headers: string | null;
}

/** Owner of a call, and the extent of its secrets. */
export interface CallOwner {
  clientId: string;
  /** True if the path is sealed as well as the query. */
  sealPaths: boolean;
}

export interface StoredCall extends CallText {
  /** Returns other stored forms of the same call: under an older key, or without a key. */
  alike?: (() => CallText[]) | undefined;
}

/**
 * Returns true if a call may have a secret. Fast, because most calls have none.
 * @param headers headers given with the call
 */
export function mayHaveSecrets(url: string, headers: object | undefined, sealPaths: boolean): boolean {
  return headers !== undefined || sealPaths || url.includes('?');
}

/**
 * Returns a call as it is stored: possible secrets are sealed, bound to the client and to scheme, host and port. The
 * same call always yields the same text, so repeats are found without opening secrets. Without a key, a query is stored
 * in clear text.
 * @throws {SecretBoxError} `no-key` if there is no key and a header or a path has to be sealed
 */
export function sealCall(call: CallText, owner: CallOwner, box: SecretBox): StoredCall {
  const headers = call.headers === null ? null : storedHeaders.parse(JSON.parse(call.headers));
  // A topic has neither a path nor a query.
  const isTopic = topicOf(call.url) !== undefined;
  const target = isTopic ? { open: call.url, hidden: '' } : targetOf(call.url, owner.sealPaths);
  const isTargetSealed = target.hidden !== '' && (box.keys > 0 || owner.sealPaths);
  const isHeaderSealed = headers !== null && Object.entries(headers).some(([name, value]) => isOpenSecret(name, value));
  if (!isTargetSealed && !isHeaderSealed) return call;

  const place = { ...owner, origin: callOriginOf(call.url) };
  const under = (key: number): CallText => ({
    url: isTargetSealed ? sealTarget(target, place, box, key) : call.url,
    headers: headers && isHeaderSealed ? JSON.stringify(sealHeaders(headers, place, box, key)) : call.headers,
  });
  const older = Array.from({ length: Math.max(0, box.keys - 1) }, (_, index) => index + 1);
  return { ...under(0), alike: () => [...older.map(under), call] };
}

interface Place {
  clientId: string;
  origin: string;
}

function isOpenSecret(name: string, value: StoredHeaders[string]): value is string {
  return typeof value === 'string' && isSecretHeader(name);
}

function sealHeaders(headers: StoredHeaders, { clientId, origin }: Place, box: SecretBox, key: number): StoredHeaders {
  const sealed = Object.entries(headers).map(([name, value]): [string, StoredHeaders[string]] => {
    if (!isOpenSecret(name, value)) return [name, value];
    const place = headerPlace(clientId, origin, name);
    return [name, { sealed: box.sealAlike(value, place, key), length: value.length }];
  });
  return Object.fromEntries(sealed);
}

interface Target {
  open: string;
  hidden: string;
}

/** Splits a URL, without its fragment, which is never sent. */
function targetOf(url: string, sealPaths: boolean): Target {
  if (url.includes(sealedMark)) return { open: url, hidden: '' };
  const whole = url.split('#', 1)[0] ?? '';
  if (sealPaths) {
    const { origin, pathname, search } = new URL(whole);
    return { open: `${origin}/`, hidden: pathname.slice(1) + search };
  }
  const query = whole.indexOf('?') + 1;
  return query === 0 ? { open: url, hidden: '' } : { open: whole.slice(0, query), hidden: whole.slice(query) };
}

function sealTarget({ open, hidden }: Target, { clientId, origin }: Place, box: SecretBox, key: number): string {
  return open + sealedMark + box.sealAlike(hidden, targetPlace(clientId, origin), key);
}

/** @throws {SecretBoxError} */
export function openUrl(url: string, clientId: string, box: Pick<SecretBox, 'open'>): string {
  const parts = sealedPartOf(url);
  return parts ? parts.open + box.open(parts.sealed, targetPlace(clientId, new URL(parts.open).origin)) : url;
}

/** @throws {SecretBoxError} */
export function openHeader(
  name: string,
  value: StoredHeaders[string],
  { clientId, origin }: Place,
  box: Pick<SecretBox, 'open'>,
): string {
  return typeof value === 'string' ? value : box.open(value.sealed, headerPlace(clientId, origin, name));
}

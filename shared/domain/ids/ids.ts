import { fromString, toUUID } from 'typeid-js';

/** Public ids are type-prefixed and sortable (TypeID over uuid v7); internal ids are plain uuids. */
export const idPrefixes = {
  campaign: 'cmp',
  template: 'tpl',
  run: 'run',
  feed: 'feed',
  job: 'job',
  jobChange: 'jch',
  client: 'cli',
  clientKey: 'csk',
  schedule: 'sch',
  apiKey: 'key',
  deadLetter: 'dlt',
  change: 'chg',
  runEvent: 'evt',
  audience: 'aud',
  audienceCount: 'cnt',
  savedAudience: 'sav',
  suppressionUpload: 'sup',
  approval: 'apr',
  settlement: 'set',
  quarantinedStep: 'qst',
  notification: 'ntf',
  reportLink: 'rpl',
  notificationEvent: 'nev',
  notificationDigest: 'ndg',
} as const;

export type IdKind = keyof typeof idPrefixes;

export function publicId(kind: IdKind, uuid: string): string {
  return `${idPrefixes[kind]}_${base32Of(uuid)}`;
}

/**
 * Crockford's alphabet. The encoding is implemented here because jobs need two ids each: 0.2 µs instead of the
 * library's 1.8 µs.
 */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pairs = Array.from({ length: 1024 }, (_, value) => alphabet.charAt(value >> 5) + alphabet.charAt(value & 31));
/** Positions of a uuid's 32 digits between its dashes. */
const digitPlaces = Array.from({ length: 36 }, (_, place) => place).filter((place) => ![8, 13, 18, 23].includes(place));
const hexDigits = new Uint8Array(128);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  hexDigits[digit.charCodeAt(0)] = value;
  hexDigits[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Encodes 128 bits after two zero bits: two characters for the first byte, then four for each five hex digits. */
function base32Of(uuid: string): string {
  const digits = (from: number, until: number) => {
    let value = 0;
    for (let digit = from; digit < until; digit++) {
      value = (value << 4) | (hexDigits[uuid.charCodeAt(digitPlaces[digit] ?? 0)] ?? 0);
    }
    return value;
  };
  let text = pairs[digits(0, 2)] ?? '';
  for (let from = 2; from < 32; from += 5) {
    const value = digits(from, from + 5);
    text += `${pairs[value >> 10] ?? ''}${pairs[value & 1023] ?? ''}`;
  }
  return text;
}

/** Returns a regular expression of public ids: 26 digits of Crockford's base 32 with a version and a variant. */
export function idPattern(kind: IdKind): string {
  const digit = '[0-9a-hjkmnp-tv-z]';
  return `^${idPrefixes[kind]}_[0-7]${digit}{9}[2-9a-h]${digit}{2}[89abrstv]${digit}{12}$`;
}

/** Returns the uuid of a public id, or `undefined` if the text is no id of that kind. */
export function uuidOf(kind: IdKind, id: string): string | undefined {
  try {
    return toUUID(fromString(id, idPrefixes[kind]));
  } catch {
    return undefined;
  }
}

import { fromString, toUUID, TypeID } from 'typeid-js';

/** Ids at the border are type-prefixed and sortable (TypeID over uuid v7); inside they are plain uuids. */
export const idPrefixes = {
  campaign: 'cmp',
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
  settlement: 'set',
  quarantinedStep: 'qst',
} as const;

export type IdKind = keyof typeof idPrefixes;

export function publicId(kind: IdKind, uuid: string): string {
  return TypeID.fromUUID(idPrefixes[kind], uuid).toString();
}

/** The uuid behind a public id, or `undefined` when the text is no id of that kind. */
export function uuidOf(kind: IdKind, id: string): string | undefined {
  try {
    return toUUID(fromString(id, idPrefixes[kind]));
  } catch {
    return undefined;
  }
}

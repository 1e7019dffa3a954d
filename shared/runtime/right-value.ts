import type { z } from 'zod';

/**
 * Describes the expected value, to follow `has to be`: `a whole number`. Requests, parameters and configuration share
 * this wording.
 * @param display formats an accepted value
 */
export function rightOf(issue: z.core.$ZodRawIssue, display: (value: unknown) => string): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return nounOf(issue.expected);
    case 'invalid_value':
      return oneOf(issue.values, display);
    case 'invalid_format':
      return issue.format === 'regex' ? `like ${String(issue.pattern)}` : nounOf(issue.format);
    case 'too_small':
      return `${issue.exact ? 'exactly' : 'at least'} ${sized(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `${issue.exact ? 'exactly' : 'at most'} ${sized(issue.origin, issue.maximum)}`;
    default:
      return undefined;
  }
}

/** Descriptions of types and formats, by their names in zod and in JSON schema. */
const nouns: Readonly<Record<string, string>> = {
  int: 'a whole number',
  integer: 'a whole number',
  array: 'a list',
  record: 'an object',
  boolean: 'true or false',
  null: 'null',
  date: 'a date such as 2026-12-01',
  datetime: 'a time such as 2026-12-01T09:00:00Z',
  'date-time': 'a time such as 2026-12-01T09:00:00Z',
  time: 'a time such as 09:00:00Z',
  duration: 'a duration such as P3D',
  email: 'an e-mail address',
  url: 'a URL',
  uri: 'a URI',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
};

export function nounOf(type: string): string {
  return nouns[type] ?? (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
}

const listed = 20;

export function oneOf(values: readonly unknown[], display: (value: unknown) => string): string {
  const more = values.length > listed ? ` or one of ${values.length - listed} more` : '';
  return `${values.slice(0, listed).map(display).join(' or ')}${more}`;
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item', object: 'field' };

/** @param origin kind of the value, named as in zod; numbers have no unit */
export function sized(origin: string, bound: number | bigint): string {
  const unit = units[origin];
  return unit === undefined ? String(bound) : `${bound} ${unit}${bound === 1 || bound === 1n ? '' : 's'} long`;
}

/** Describes the known fields, to follow the name of an unknown field. */
export function knownFields(names: readonly string[]): string {
  return names.length === 0 ? 'nothing is' : `known are ${names.join(', ')}`;
}

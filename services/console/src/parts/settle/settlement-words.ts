import type { Settlement } from '#client/types.gen.ts';
import { countOf, formatCount } from '../words/numbers.ts';

export function settledBy({ by, step, country }: Pick<Settlement, 'by' | 'step' | 'country'>): string {
  if (by === 'file') return 'a file';
  if (by === 'hand') return 'one user by hand';
  const places = [...(step === null ? [] : [`step ${step}`]), ...(country === null ? [] : [country])];
  return places.length === 0 ? 'the status endpoint' : `the status endpoint, ${places.join(' in ')}`;
}

/** Returns a text such as `3 succeeded, 1 failed, 8 still unknown`. */
export function settledWords(of: Pick<Settlement, 'settled' | 'leftUnknown' | 'rejected'>): string {
  const { settled, leftUnknown, rejected } = of;
  return [
    `${formatCount(settled.succeeded)} succeeded`,
    `${formatCount(settled.failed)} failed`,
    ...(leftUnknown > 0 ? [`${formatCount(leftUnknown)} still unknown`] : []),
    ...(rejected > 0 ? [`${countOf(rejected, 'line')} settled nobody`] : []),
  ].join(', ');
}

export function rejectWords(rule: string): string {
  return rules[rule] ?? rule;
}

const rules: Readonly<Record<string, string>> = {
  malformed: 'cannot be read as userId, step, outcome, code, country',
  'too-long': 'is too long to be read',
  'not-utf-8': 'is not encoded in UTF-8',
  empty: 'names no user',
  'control-character': 'has a control character in the user id',
  'lone-surrogate': 'has half of a character in the user id',
  'invalid-step': 'names no step',
  'invalid-outcome': 'says neither succeeded nor failed',
  'not-unknown': 'names nobody who is unknown in that step',
  'settled-otherwise': 'says otherwise than it was settled before; that stays',
};

import type { Settlement } from '#client/types.gen.ts';
import { countOf, formatCount } from '../words/numbers.ts';

export function formatSettlementSource({ by, step, country }: Pick<Settlement, 'by' | 'step' | 'country'>): string {
  if (by === 'file') return 'a file';
  if (by === 'hand') return 'one user by hand';
  const places = [...(step === null ? [] : [`step ${step}`]), ...(country === null ? [] : [country])];
  return places.length === 0 ? 'the status endpoint' : `the status endpoint, ${places.join(' in ')}`;
}

/** Returns a text such as `3 succeeded, 1 failed, 8 still unknown`. */
export function formatSettlementResult(settlement: Pick<Settlement, 'settled' | 'leftUnknown' | 'rejected'>): string {
  const { settled, leftUnknown, rejected } = settlement;
  return [
    `${formatCount(settled.succeeded)} succeeded`,
    `${formatCount(settled.failed)} failed`,
    ...(leftUnknown > 0 ? [`${formatCount(leftUnknown)} still unknown`] : []),
    ...(rejected > 0 ? [`${countOf(rejected, 'line')} settled no user`] : []),
  ].join(', ');
}

export function describeRejection(rule: string): string {
  return rules[rule] ?? rule;
}

const rules: Readonly<Record<string, string>> = {
  malformed: 'cannot be read as userId, step, outcome, code, country',
  'too-long': 'is too long to be read',
  'not-utf-8': 'is not encoded in UTF-8',
  empty: 'has no user id',
  'control-character': 'has a control character in the user id',
  'lone-surrogate': 'has an incomplete character in the user id',
  'invalid-step': 'has no valid step',
  'invalid-outcome': 'has neither succeeded nor failed as its outcome',
  'not-unknown': 'has a user who is not unknown in that step',
  'settled-otherwise': 'contradicts an earlier settlement, which stays',
};

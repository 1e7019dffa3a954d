import { describe, expect, it } from 'vitest';
import { emptyDraft, requestOf, type SettleDraft } from './settle-draft.ts';
import type { UnknownLine } from './unknown-lines.ts';

const first: UnknownLine = { step: 1, action: 'award-reward', users: 3, countries: [{ country: 'SG', users: 3 }] };
const third: UnknownLine = { step: 3, action: 'send-message', users: 4, countries: [{ country: 'VN', users: 4 }] };
const lines = { unknown: [first, third], askable: [third] };

const byHand = (hand: Partial<SettleDraft['hand']>) =>
  requestOf('hand', { ...emptyDraft, hand: { ...emptyDraft.hand, ...hand } }, lines);
const byStatus = (wanted: Partial<SettleDraft['wanted']>) =>
  requestOf('status', { ...emptyDraft, wanted: { ...emptyDraft.wanted, ...wanted } }, lines);

describe('a settlement request', () => {
  it('queries the endpoint for all unknown users, or for those of a step or country', () => {
    expect(byStatus({})).toEqual({ by: 'status' });
    expect(byStatus({ step: 3, country: 'VN' })).toEqual({ by: 'status', step: 3, country: 'VN' });
  });

  it('is null if no unknown user can be queried', () => {
    expect(byStatus({ country: 'SG' })).toBeNull();
  });

  it('has the file once one is chosen', () => {
    const file = new File(['u1,1,succeeded'], 'settled.csv');
    expect(requestOf('file', emptyDraft, lines)).toBeNull();
    const { columns } = emptyDraft;
    expect(requestOf('file', { ...emptyDraft, file }, lines, 2)).toEqual({ file, columns, acceptRejected: 2 });
  });

  it('has the outcome of one user, with a reason if it failed', () => {
    expect(byHand({})).toBeNull();
    expect(byHand({ userId: ' u1' })).toEqual({ by: 'hand', userId: ' u1', step: 1, outcome: 'succeeded' });
    const failed = { userId: 'u1', step: 3, outcome: 'failed', code: ' no-account ', country: 'VN' } as const;
    expect(byHand(failed)).toEqual({ by: 'hand', ...failed, code: 'no-account' });
    expect(byHand({ ...failed, outcome: 'succeeded' })).not.toHaveProperty('code');
  });
});

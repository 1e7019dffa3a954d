import { describe, expect, it } from 'vitest';
import { approvalMoveOf, approvalStates, approvalVerbs } from './approval-states.ts';
import { personOf, refusedApproval } from './approvers.ts';

it('each verb in each state', () => {
  const table = Object.fromEntries(
    [null, ...approvalStates].map((state) => [
      state ?? 'never submitted',
      approvalVerbs.map((verb) => approvalMoveOf(verb, state)).join(' '),
    ]),
  );
  // submit, approve, send-back, withdraw
  expect(table).toEqual({
    'never submitted': 'moves forbidden forbidden forbidden',
    waiting: 'stays moves moves moves',
    approved: 'stays moves moves moves',
    'sent-back': 'moves forbidden stays forbidden',
    withdrawn: 'moves forbidden forbidden stays',
    void: 'moves forbidden forbidden forbidden',
  });
});

describe('who may approve', () => {
  const authors = [{ key: 'hers', owner: 'Mei Ling' }];

  it('another person than the author', () => {
    expect(refusedApproval({ key: 'another', owner: 'rahayu' }, authors)).toBeNull();
  });

  it('not the author, with whatever key', () => {
    expect(refusedApproval({ key: 'another', owner: ' mei ling' }, authors)).toMatch(/another person approves/);
    expect(personOf(' Mei Ling ')).toBe('mei ling');
  });

  it('not the author, who may have another name by now', () => {
    expect(refusedApproval({ key: 'hers', owner: 'Mei Ling Tan' }, authors)).toMatch(/another person approves/);
  });

  it('nobody who is not known, and nothing whose author is not', () => {
    expect(refusedApproval({ key: 'another', owner: null }, authors)).toMatch(/has no owner/);
    const unknown = [{ key: null, owner: null }];
    expect(refusedApproval({ key: 'another', owner: 'rahayu' }, unknown)).toMatch(/its author has to be known/);
  });
});

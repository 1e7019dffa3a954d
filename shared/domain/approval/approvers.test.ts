import { describe, expect, it } from 'vitest';
import { hasApproved, refusedApproval, type KeyHolder } from './approvers.ts';
import { personOf } from './person-of.ts';

/** @param by the keys that made or changed it */
function holder(key: string, owner: string | null, by: readonly KeyHolder[] = []): KeyHolder {
  const persons = owner === null ? [] : [personOf(owner)];
  const behind = {
    keys: [key, ...by.flatMap((each) => each.behind.keys)],
    persons: [...persons, ...by.flatMap((each) => each.behind.persons)],
  };
  return { key, owner, persons, behind, isSignedIn: false };
}

const mei = holder('hers', 'Mei Ling');
const rahayu = holder('another', 'rahayu');
const none = { voters: [], approversSignIn: false };

describe('an approval', () => {
  it('is accepted from another person than the author', () => {
    expect(refusedApproval(rahayu, { authors: [mei], ...none })).toBeNull();
  });

  it.each([
    ['another key of hers', holder('another', ' mei  ling')],
    ['her key under another name', { ...mei, owner: 'Mei Ling Tan', persons: [personOf('Mei Ling Tan')] }],
    ['a key that was hers before', { ...rahayu, persons: ['rahayu', personOf('Mei Ling')] }],
  ])('is refused to its author with %s', (_, voter) => {
    expect(refusedApproval(voter, { authors: [mei], ...none })).toMatch(/another person approves/);
  });

  it('is refused to a key without an owner, and if the author is unknown', () => {
    expect(refusedApproval(holder('another', null), { authors: [mei], ...none })).toMatch(/has no owner/);
    const unknown = { authors: [{ ...holder('gone', null), key: null }], ...none };
    expect(refusedApproval(rahayu, unknown)).toMatch(/its author has to be known/);
  });

  it.each([
    ['her key made', holder('ghost', 'ghost', [mei])],
    ['another key of hers made', holder('ghost', 'ghost', [holder('second', 'mei ling')])],
    ['a key made that she made', holder('ghost', 'ghost', [holder('between', null, [mei])])],
  ])('is refused to a key that %s', (_, ghost) => {
    expect(refusedApproval(ghost, { authors: [mei], ...none })).toMatch(/its author has made or changed this key/);
  });

  it('is refused to a key that made the key of its author', () => {
    const ghost = holder('ghost', 'ghost', [rahayu]);
    expect(refusedApproval(rahayu, { authors: [ghost], ...none })).toMatch(/has made or changed the key that wrote it/);
  });

  it('is accepted from a key that has the same maker as the key of the author', () => {
    const admin = holder('admin', null);
    const [author, voter] = [holder('a', 'mei', [admin]), holder('b', 'rahayu', [admin])];
    expect(refusedApproval(voter, { authors: [author], ...none })).toBeNull();
  });

  it('is refused to a second key that the first approver made', () => {
    const ghost = holder('ghost', 'ghost', [rahayu]);
    const voting = { authors: [mei], voters: [rahayu], approversSignIn: false };
    expect(refusedApproval(ghost, voting)).toMatch(/made or changed by one another/);
    expect(refusedApproval(rahayu, { ...voting, voters: [ghost] })).toMatch(/made or changed by one another/);
  });

  it('is refused to keys if the policy requires people who sign in', () => {
    const voting = { authors: [mei], voters: [], approversSignIn: true };
    expect(refusedApproval(rahayu, voting)).toMatch(/people who sign in/);
    expect(refusedApproval({ ...rahayu, isSignedIn: true }, voting)).toBeNull();
  });

  it('counts once for each person, by votes that count', () => {
    const second = holder('second', 'RAHAYU');
    expect(hasApproved(second, { voters: [rahayu], approversSignIn: false })).toBe(true);
    expect(hasApproved(second, { voters: [rahayu], approversSignIn: true })).toBe(false);
    expect(hasApproved(mei, { voters: [rahayu], approversSignIn: false })).toBe(false);
  });
});

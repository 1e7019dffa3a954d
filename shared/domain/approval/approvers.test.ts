import { describe, expect, it } from 'vitest';
import { hasApproved, refusedApproval, type KeyHolder } from './approvers.ts';
import { personOf } from './person-of.ts';

/** @param by keys that created or changed it */
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
  it('is accepted from a person who is not the author', () => {
    expect(refusedApproval(rahayu, { authors: [mei], ...none })).toBeNull();
  });

  it.each([
    ['another key of the author', holder('another', ' mei  ling')],
    [
      "the author's key with another owner name",
      { ...mei, owner: 'Mei Ling Tan', persons: [personOf('Mei Ling Tan')] },
    ],
    ['a key that belonged to the author before', { ...rahayu, persons: ['rahayu', personOf('Mei Ling')] }],
  ])('is refused to its author with %s', (_, voter) => {
    expect(refusedApproval(voter, { authors: [mei], ...none })).toMatch(/another person approves/);
  });

  it('is refused to a key without an owner, or if the author is unknown', () => {
    expect(refusedApproval(holder('another', null), { authors: [mei], ...none })).toMatch(/has no owner/);
    const unknown = { authors: [{ ...holder('gone', null), key: null }], ...none };
    expect(refusedApproval(rahayu, unknown)).toMatch(/its author has to be known/);
  });

  it.each([
    ["the author's key created", holder('ghost', 'ghost', [mei])],
    ['another key of the author created', holder('ghost', 'ghost', [holder('second', 'mei ling')])],
    ["was created by a key that the author's key created", holder('ghost', 'ghost', [holder('between', null, [mei])])],
  ])('is refused to a key that %s', (_, ghost) => {
    expect(refusedApproval(ghost, { authors: [mei], ...none })).toMatch(/its author has made or changed this key/);
  });

  it("is refused to a key that created the author's key", () => {
    const ghost = holder('ghost', 'ghost', [rahayu]);
    expect(refusedApproval(rahayu, { authors: [ghost], ...none })).toMatch(/has made or changed the key that wrote it/);
  });

  it("is accepted from a key with the same creator as the author's key", () => {
    const admin = holder('admin', null);
    const [author, voter] = [holder('a', 'mei', [admin]), holder('b', 'rahayu', [admin])];
    expect(refusedApproval(voter, { authors: [author], ...none })).toBeNull();
  });

  it('is refused to a key that the first approver created', () => {
    const ghost = holder('ghost', 'ghost', [rahayu]);
    const voting = { authors: [mei], voters: [rahayu], approversSignIn: false };
    expect(refusedApproval(ghost, voting)).toMatch(/made or changed by one another/);
    expect(refusedApproval(rahayu, { ...voting, voters: [ghost] })).toMatch(/made or changed by one another/);
  });

  it('is refused to API keys if the policy requires signed-in people', () => {
    const voting = { authors: [mei], voters: [], approversSignIn: true };
    expect(refusedApproval(rahayu, voting)).toMatch(/people who sign in/);
    expect(refusedApproval({ ...rahayu, isSignedIn: true }, voting)).toBeNull();
  });

  it('counts the votes of one person once, and ignores invalid votes', () => {
    const second = holder('second', 'RAHAYU');
    expect(hasApproved(second, { voters: [rahayu], approversSignIn: false })).toBe(true);
    expect(hasApproved(second, { voters: [rahayu], approversSignIn: true })).toBe(false);
    expect(hasApproved(mei, { voters: [rahayu], approversSignIn: false })).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { findChangedFiles, type Git } from './changed-files.ts';

const headMs = 1_800_000_000;
/** Answers like git. Unknown commands fail like in git. */
const gitOf =
  (answers: Record<string, string>): Git =>
  (...args) => {
    const answer = { 'rev-parse HEAD': 'head', 'rev-parse --is-shallow-repository': 'false', ...answers }[
      args.join(' ')
    ];
    if (answer === undefined) throw new Error('fatal: unknown');
    return answer;
  };
const commit = (name: string, hash: string) => ({
  [`rev-parse --verify --quiet ${name}^{commit}`]: hash,
  [`diff --name-only --no-renames ${hash}`]: 'services/api/api.ts\ntest/a.test.ts',
});
const older = {
  'show -s --format=%ct HEAD': String(headMs),
  [`rev-list -1 --before=${headMs - 4 * 3600} HEAD`]: 'old',
  ...commit('old', 'old4567890'),
};
const files = new Set(['services/api/api.ts', 'test/a.test.ts']);

describe('the change since the last landed state', () => {
  it('is measured from the given commit, also in a shallow clone', () => {
    const git = gitOf({ ...older, ...commit('v1', 'base567890'), 'rev-parse --is-shallow-repository': 'true' });
    expect(findChangedFiles(git, 'v1')).toEqual({ files, since: 'changed since base5678' });
  });

  it('is measured from the commit at which the branch left origin/main', () => {
    const git = gitOf({ ...older, 'merge-base HEAD origin/main': 'left', ...commit('left', 'left567890') });
    expect(findChangedFiles(git).since).toBe('changed since left5678');
  });

  it('is measured from a commit that is four hours older if origin/main is HEAD or missing', () => {
    expect(findChangedFiles(gitOf(older))).toEqual({ files, since: 'changed since old45678' });
    const git = gitOf({ ...older, 'merge-base HEAD origin/main': 'head' });
    expect(findChangedFiles(git).since).toBe('changed since old45678');
  });

  it.each([
    ['without a git repository', { 'rev-parse HEAD': '' }, undefined, 'there is no git repository'],
    ['in a shallow clone', { 'rev-parse --is-shallow-repository': 'true' }, undefined, 'the clone is shallow'],
    ['if the base is not a commit', {}, 'v9', 'v9 is no commit here'],
    ['if all commits are new', {}, undefined, 'no commit is old enough'],
  ])('cannot be determined, with a reason: %s', (_, answers: Record<string, string>, base, reason) => {
    const changed = findChangedFiles(gitOf(answers), base);
    expect(changed.files).toBeUndefined();
    expect(changed.since).toContain(reason);
  });
});

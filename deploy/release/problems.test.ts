import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseImages, imageProblems } from './base-images.ts';
import type { Checkout } from './checkout.ts';
import { bumpProblems, releaseProblems, tagBefore } from './problems.ts';

const digest = `sha256:${'0a'.repeat(32)}`;

function checkout(changes: Partial<Checkout> = {}): Checkout {
  return {
    commit: 'c0ffee',
    changes: [],
    tags: ['v0.1.0', 'v0.2.0'],
    versions: [
      { file: 'package.json', version: '0.3.0' },
      { file: 'sdk/package.json', version: '0.3.0' },
    ],
    changelog: '## [Unreleased]\n\n## [0.3.0] - 2026-12-01\n\n### Added\n\n- More\n',
    releasedBefore: 'v0.2.0',
    oldest: '0.2.0',
    images: [{ file: 'deploy/Dockerfile', name: 'node:24', digest }],
    ...changes,
  };
}

it('a complete checkout can be released', () => {
  expect(releaseProblems(checkout())).toEqual([]);
});

it.each<[string, Partial<Checkout>, string]>([
  [
    'uncommitted changes',
    { changes: [' M README.md', '?? notes.txt'] },
    'the checkout differs from its commit: M README.md, ?? notes.txt',
  ],
  ['a version that was already released', { tags: ['v0.2.0', 'v0.3.0'] }, '0.3.0 is released: there is a tag v0.3.0'],
  [
    'a file of another version',
    {
      versions: [
        { file: 'package.json', version: '0.3.0' },
        { file: 'sdk/package.json', version: '0.2.0' },
      ],
    },
    'sdk/package.json says 0.2.0, and package.json 0.3.0',
  ],
  [
    'a file without its version',
    {
      versions: [
        { file: 'package.json', version: '0.3.0' },
        { file: 'deploy/Dockerfile', version: undefined },
      ],
    },
    'deploy/Dockerfile says no version, and package.json 0.3.0',
  ],
  [
    'a version that is missing in the changelog',
    { changelog: '## [Unreleased]\n\n## [0.2.0]\n\nBefore.\n' },
    'docs/CHANGELOG.md says nothing of 0.3.0: `npm run release -- bump 0.3.0` makes its section',
  ],
  [
    'upgrade tests from the wrong version',
    { releasedBefore: 'v0.1.0' },
    'migrations/released-version says v0.1.0, and the version before 0.3.0 is v0.2.0: upgrades were tested from another one',
  ],
  [
    'a schema that is incompatible with the previous version',
    { oldest: '0.3.0' },
    'migrations/oldest-version says 0.3.0, and 0.2.0 has to have room on the schema of 0.3.0: what it still uses may be dropped a version later',
  ],
  [
    'a base image without a digest',
    { images: [{ file: 'deploy/Dockerfile', name: 'node:24', digest: undefined }] },
    'deploy/Dockerfile takes node:24 without its digest: `npm run release -- pin` looks it up and writes it',
  ],
  [
    'a malformed digest',
    { images: [{ file: 'deploy/Dockerfile', name: 'node:24', digest: 'sha256:todo' }] },
    'deploy/Dockerfile takes node:24 without its digest: `npm run release -- pin` looks it up and writes it',
  ],
])('releaseProblems reports only %s', (_, changes, problem) => {
  expect(releaseProblems(checkout(changes))).toEqual([problem]);
});

it('every base image of this checkout is pinned by digest', () => {
  const images = baseImages(path.resolve(import.meta.dirname, '../..'));
  expect(new Set(images.map(({ file }) => file))).toEqual(new Set(['deploy/Dockerfile', 'docker-compose.yml']));
  expect(imageProblems(images)).toEqual([]);
});

it('releaseProblems reports all problems at once', () => {
  expect(releaseProblems(checkout({ changes: ['?? a'], releasedBefore: 'none', images: [] }))).toHaveLength(2);
});

it('releaseProblems requires no previous version for the first release, if upgrade tests start at that release', () => {
  const first = checkout({ tags: [], releasedBefore: 'none', oldest: '0.3.0' });
  expect(releaseProblems(first)).toEqual([]);
  expect(releaseProblems({ ...first, oldest: '0.4.0' })).toHaveLength(1);
});

describe('tagBefore', () => {
  it.each([
    ['0.3.0', 'v0.2.1'],
    ['0.2.1', 'v0.2.0'],
    ['0.1.0', undefined],
    ['1.0.0', 'v0.10.0'],
  ])('returns for version %s the tag %s, whatever other tags exist', (version, before) => {
    expect(tagBefore(['v0.10.0', 'v0.2.0', 'v0.2.1', 'nightly', 'v1', '0.2.9', 'v0.1.0'], version)).toBe(before);
  });
});

describe('a checkout', () => {
  it.each(['0.3.0', '0.3.1', '0.4.0', '1.0.0-rc.1'])('can be bumped to version %s', (version) => {
    expect(bumpProblems(checkout(), version)).toEqual([]);
  });

  it.each([
    ['0.4', '"0.4" is no version, such as 1.4.0 or 1.4.0-rc.2'],
    ['v0.4.0', '"v0.4.0" is no version, such as 1.4.0 or 1.4.0-rc.2'],
    ['0.2.5', '0.2.5 is older than 0.3.0, which package.json says'],
  ])('cannot be bumped to version %s', (version, problem) => {
    expect(bumpProblems(checkout(), version)).toEqual([problem]);
  });
});

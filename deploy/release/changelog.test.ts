import { expect, it } from 'vitest';
import { changelogProblems, closeUnreleased, sectionsOf } from './changelog.ts';

const page = `# Changes

## [Unreleased]

### Added

- Rolling upgrades

## [0.1.0] - 2026-11-24

The first version.
`;

it('closeUnreleased moves the unreleased text to the section of the version and leaves an empty one above it', () => {
  const closed = closeUnreleased(page, '0.2.0', '2026-12-01');
  expect(sectionsOf(closed)).toEqual([
    { name: 'Unreleased', text: '' },
    { name: '0.2.0', text: '### Added\n\n- Rolling upgrades' },
    { name: '0.1.0', text: 'The first version.' },
  ]);
  expect(closed).toContain('## [0.2.0] - 2026-12-01\n');
  expect(changelogProblems(closed, '0.2.0')).toEqual([]);
});

it('a version is not released without its section in the changelog, or with unreleased text in it', () => {
  expect(changelogProblems(page, '0.2.0')).toEqual([
    'docs/CHANGELOG.md says nothing of 0.2.0: `npm run release -- bump 0.2.0` makes its section',
    'docs/CHANGELOG.md has text below [Unreleased], which would be released and not be said of 0.2.0',
  ]);
  expect(changelogProblems('# Changes\n\n## [0.2.0] - 2026-12-01\n', '0.2.0')).toHaveLength(1);
});

it('closeUnreleased throws if there is no unreleased text', () => {
  expect(() => closeUnreleased('# Changes\n\n## [Unreleased]\n\n## [0.1.0]\n\nFirst.', '0.2.0', '2026-12-01')).toThrow(
    'nothing to release',
  );
});

import { describe, expect, it } from 'vitest';
import { compareVersions, refusalOf } from './versions.ts';

describe('versions', () => {
  it('are put in order by their numbers, and what comes before a release is older than it', () => {
    const inOrder = ['0.1.0', '0.2.0-rc.1', '0.2.0', '0.10.0', '1.0.0'];
    expect(inOrder.toReversed().toSorted(compareVersions)).toEqual(inOrder);
    expect(compareVersions('0.2.0', '0.2.0')).toBe(0);
  });

  it('that are none are refused', () => {
    expect(() => compareVersions('latest', '0.2.0')).toThrow('"latest" is no version, such as 1.4.0');
  });
});

describe('a version that wants to work on a schema', () => {
  const made = { version: '0.3.0', oldest: '0.2.0' };

  it.each(['0.2.0', '0.2.7', '0.3.0', '0.4.0'])('may, where all its migrations are there: %s', (own) => {
    expect(refusalOf(own, { missing: [], made })).toBeUndefined();
  });

  it('may not where it is older than the schema leaves room for, and is told which may', () => {
    expect(refusalOf('0.1.9', { missing: [], made })).toBe(
      "this is Muster 0.1.9, and Muster 0.3.0 has changed the database's schema: " +
        '0.2.0 is the oldest that may work on it. Start 0.2.0 or newer',
    );
  });

  it('may not where its migrations are not there, and is told by which version they come', () => {
    expect(refusalOf('0.4.0', { missing: ['2027_a'], made })).toBe(
      "this is Muster 0.4.0, and the database's schema lacks 2027_a, as Muster 0.3.0 has left it: " +
        'run `muster migrate` of 0.4.0',
    );
    expect(refusalOf('0.4.0', { missing: ['2027_a'], made: null })).toBe(
      "this is Muster 0.4.0, and the database's schema lacks 2027_a: run `muster migrate` of 0.4.0",
    );
  });
});

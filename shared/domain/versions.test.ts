import { describe, expect, it } from 'vitest';
import { compareVersions, refusalOf } from './versions.ts';

describe('the comparison of versions', () => {
  it('orders versions by number, and a prerelease before its release', () => {
    const inOrder = ['0.1.0', '0.2.0-rc.1', '0.2.0', '0.10.0', '1.0.0'];
    expect(inOrder.toReversed().toSorted(compareVersions)).toEqual(inOrder);
    expect(compareVersions('0.2.0', '0.2.0')).toBe(0);
  });

  it('throws for an invalid version', () => {
    expect(() => compareVersions('latest', '0.2.0')).toThrow('"latest" is no version, such as 1.4.0');
  });
});

describe('a release that starts on a database schema', () => {
  const made = { version: '0.3.0', oldest: '0.2.0' };

  it.each(['0.2.0', '0.2.7', '0.3.0', '0.4.0'])('is allowed if all its migrations are applied: %s', (own) => {
    expect(refusalOf(own, { missing: [], made })).toBeUndefined();
  });

  it('is refused if it is older than the schema allows, with the oldest allowed version', () => {
    expect(refusalOf('0.1.9', { missing: [], made })).toBe(
      "this is Muster 0.1.9, and Muster 0.3.0 has changed the database's schema: " +
        '0.2.0 is the oldest that may work on it. Start 0.2.0 or newer',
    );
  });

  it('is refused if its migrations are missing, with the command that applies them', () => {
    expect(refusalOf('0.4.0', { missing: ['2027_a'], made })).toBe(
      "this is Muster 0.4.0, and the database's schema lacks 2027_a, as Muster 0.3.0 has left it: " +
        'run `muster migrate` of 0.4.0',
    );
    expect(refusalOf('0.4.0', { missing: ['2027_a'], made: null })).toBe(
      "this is Muster 0.4.0, and the database's schema lacks 2027_a: run `muster migrate` of 0.4.0",
    );
  });
});

import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { canonicalHash, canonicalJson } from './canonical-hash.ts';

describe('the canonical hash of a JSON value', () => {
  it('never changes for the same value', () => {
    expect(canonicalHash({ b: [2, 1], a: { d: null, c: 'ü' } })).toBe(
      '4673d7555f70be799b6e7ba7ff16b86b77236ef46623ded6c7628095a03af5ce',
    );
  });

  it('depends neither on the order of fields nor on a round trip through JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalHash(reversed(value))).toBe(canonicalHash(value));
        expect(canonicalHash(JSON.parse(JSON.stringify(value)))).toBe(canonicalHash(value));
      }),
    );
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        fc.pre(canonicalJson(one) !== canonicalJson(other));
        expect(canonicalHash(one)).not.toBe(canonicalHash(other));
      }),
    );
  });

  it('depends on the order of lists and ignores undefined fields', () => {
    expect(canonicalJson({ chain: ['b', 'a'], pace: undefined })).toBe('{"chain":["b","a"]}');
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

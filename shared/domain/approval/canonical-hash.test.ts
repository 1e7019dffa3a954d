import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { canonicalHash, canonicalJson } from './canonical-hash.ts';

describe('the hash of a value', () => {
  it('is the same for ever', () => {
    expect(canonicalHash({ b: [2, 1], a: { d: null, c: 'ü' } })).toBe(
      '4673d7555f70be799b6e7ba7ff16b86b77236ef46623ded6c7628095a03af5ce',
    );
  });

  it('does not depend on the order of fields, nor on whether it was stored in between', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalHash(reversed(value))).toBe(canonicalHash(value));
        expect(canonicalHash(JSON.parse(JSON.stringify(value)))).toBe(canonicalHash(value));
      }),
    );
  });

  it('differs where anything differs', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        fc.pre(canonicalJson(one) !== canonicalJson(other));
        expect(canonicalHash(one)).not.toBe(canonicalHash(other));
      }),
    );
  });

  it('minds the order of lists, and no field that is not given', () => {
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

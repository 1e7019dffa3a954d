import { expect, it } from 'vitest';
import {
  instantArrayBytes,
  instantsIn,
  intArrayBytes,
  smallIntArrayBytes,
  textArrayBytes,
  uuidArrayBytes,
  uuidsIn,
} from './binary-arrays.ts';

/** The header of an array: one dimension, whether it has nulls, the element type, the length, and the lower bound 1. */
const head = (oid: number, length: number, hasNulls: boolean) => {
  const bytes = Buffer.alloc(20);
  for (const [place, value] of [1, hasNulls ? 1 : 0, oid, length, 1].entries()) bytes.writeInt32BE(value, place * 4);
  return bytes;
};
const sized = (content: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length);
  return Buffer.concat([length, content]);
};
const none = Buffer.from('ffffffff', 'hex');

it('a text array is encoded with byte lengths and nulls', () => {
  const texts = ['plain', '', 'quote " and \\', 'ünïcødé 💡'];
  const expected = [head(25, 5, true), ...texts.map((text) => sized(Buffer.from(text))), none];
  expect(textArrayBytes([...texts, null])).toEqual(Buffer.concat(expected));
});

it('a uuid array is encoded as 16 bytes each, and an invalid uuid throws', () => {
  const id = '0190a3f2-7b1c-8def-9ABC-0123456789ff';
  const expected = [head(2950, 2, true), sized(Buffer.from(id.replaceAll('-', ''), 'hex')), none];
  expect(uuidArrayBytes([id, null])).toEqual(Buffer.concat(expected));
  expect(() => uuidArrayBytes(['0190a3f2'])).toThrow('is no uuid');
});

it('an array larger than the buffer is encoded, and earlier arrays stay unchanged', () => {
  const first = textArrayBytes(['first']);
  const large = textArrayBytes(['x'.repeat(2_000_000), 'y']);
  expect(large.length).toBe(20 + 4 + 2_000_000 + 4 + 1);
  expect(large.subarray(-1).toString()).toBe('y');
  expect(first).toEqual(Buffer.concat([head(25, 1, false), sized(Buffer.from('first'))]));
  expect(uuidArrayBytes([])).toEqual(head(2950, 0, false));
});

it('integer arrays are encoded in two and four bytes, and instants as microseconds since 2000', () => {
  const hex = (digits: string) => sized(Buffer.from(digits, 'hex'));
  expect(smallIntArrayBytes([-2, 300, null])).toEqual(
    Buffer.concat([head(21, 3, true), hex('fffe'), hex('012c'), none]),
  );
  expect(intArrayBytes([-2, 70_000])).toEqual(Buffer.concat([head(23, 2, false), hex('fffffffe'), hex('00011170')]));
  const times = [Date.UTC(2000, 0, 1) * 1000 - 1, Date.UTC(2000, 0, 1) * 1000 + 2 ** 40 + 5];
  const expected = [head(1184, 2, false), hex('ffffffffffffffff'), hex('0000010000000005')];
  expect(instantArrayBytes(times)).toEqual(Buffer.concat(expected));
});

it('the uuids and instants of an encoded array are decoded to the same values', () => {
  const ids = ['0190a3f2-7b1c-8def-9abc-0123456789ff', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const read = uuidsIn(uuidArrayBytes([...ids, ids[0] ?? '']));
  expect([read.length, read.at(0), read.at(1), read.at(2)]).toEqual([3, ...ids, ids[0]]);
  expect([read.isSame(0, 1), read.isSame(0, 2)]).toEqual([false, true]);
  const times = [0, 1, 946_684_799_999_999, 1_795_896_000_123_456];
  const instants = instantsIn(instantArrayBytes(times));
  expect(times.map((_, place) => instants.at(place))).toEqual(times);
});

import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { stepMessage } from './messages.ts';
import { readMessage } from './read-message.ts';

const reference = { feedId: '01999999-0000-7000-8000-000000000001', step: 1, batchNos: [1], remaining: [100] };
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('readMessage', () => {
  it('returns a message that matches its schema', () => {
    expect(readMessage(stepMessage, bytesOf(reference))).toEqual({ ok: true, message: reference });
  });

  it.each([
    [
      'a field and the kind of its value',
      { ...reference, batchNos: ['one'] },
      /^batchNos\.0: .*\(found a text of 3\)$/,
    ],
    ['a number with its value', { ...reference, step: 1.5 }, /^step: .*\(found 1\.5\)$/],
    ['a missing field', { ...reference, step: undefined }, /^step: .*\(found nothing\)$/],
    ['a list of lost users that is too long', { ...reference, lost: [Array(21).fill('u')] }, /^lost\.0: /],
    ['a lost user with an invalid id', { ...reference, lost: [['u'.repeat(257)]] }, /^lost\.0\.0: /],
    ['a value that is not an object', [], /\(found a list of 0\)$/],
  ])('returns a reason that names %s', (_what, value, reason) => {
    const read = readMessage(stepMessage, bytesOf(value));
    expect(read.ok ? '' : read.reason).toMatch(reason);
  });

  it('returns a reason without user ids, because reasons are logged', () => {
    const values = [
      bytesOf({ ...reference, lost: [Array(50).fill('u-4711')] }),
      bytesOf({ ...reference, lost: 'u-4711' }),
      Buffer.from('[["u-4711"'),
    ];
    for (const value of values) expect(JSON.stringify(readMessage(stepMessage, value))).not.toContain('u-4711');
    expect(JSON.stringify(readMessage(stepMessage, values[0] ?? null))).toContain('a list of 50');
  });

  it('returns a reason for invalid JSON and for a missing value', () => {
    expect(readMessage(stepMessage, Buffer.from('gar\u0000bage'))).toEqual({ ok: false, reason: 'not JSON' });
    expect(readMessage(stepMessage, null)).toEqual({ ok: false, reason: 'it has no value' });
  });

  it('returns a short reason that can be stored, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.json(), (bytes, text) => {
        for (const value of [Buffer.from(bytes), Buffer.from(text)]) {
          const read = readMessage(stepMessage, value);
          if (read.ok) continue;
          expect(read.reason.length).toBeLessThan(300);
          expect(read.reason).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});

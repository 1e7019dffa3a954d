import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { stepMessage } from './messages.ts';
import { readMessage } from './read-message.ts';

const reference = { feedId: '01999999-0000-7000-8000-000000000001', step: 1, batchNos: [1], remaining: [100] };
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('reading a message', () => {
  it('gives the message where it has its shape', () => {
    expect(readMessage(stepMessage, bytesOf(reference))).toEqual({ ok: true, message: reference });
  });

  it.each([
    [
      'the field and the kind of its value',
      { ...reference, batchNos: ['one'] },
      /^batchNos\.0: .*\(found a text of 3\)$/,
    ],
    ['a number as it is', { ...reference, step: 1.5 }, /^step: .*\(found 1\.5\)$/],
    ['a field that is not there', { ...reference, step: undefined }, /^step: .*\(found nothing\)$/],
    ['that more are lost than a publisher says', { ...reference, lost: [Array(21).fill('u')] }, /^lost\.0: /],
    ['that what is lost is no user', { ...reference, lost: [['u'.repeat(257)]] }, /^lost\.0\.0: /],
    ['that it is no object', [], /\(found a list of 0\)$/],
  ])('names %s', (_what, value, reason) => {
    const read = readMessage(stepMessage, bytesOf(value));
    expect(read.ok ? '' : read.reason).toMatch(reason);
  });

  it('quotes no user: reasons stand in logs', () => {
    const values = [
      bytesOf({ ...reference, lost: [Array(50).fill('u-4711')] }),
      bytesOf({ ...reference, lost: 'u-4711' }),
      Buffer.from('[["u-4711"'),
    ];
    for (const value of values) expect(JSON.stringify(readMessage(stepMessage, value))).not.toContain('u-4711');
    expect(JSON.stringify(readMessage(stepMessage, values[0] ?? null))).toContain('a list of 50');
  });

  it('says where there is no JSON, or nothing at all', () => {
    expect(readMessage(stepMessage, Buffer.from('gar\u0000bage'))).toEqual({ ok: false, reason: 'not JSON' });
    expect(readMessage(stepMessage, null)).toEqual({ ok: false, reason: 'it has no value' });
  });

  it('has a short reason that can be stored, whatever the bytes are', () => {
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fireMessage } from './messages.ts';
import { readMessage } from './read-message.ts';

const fire = {
  fireId: '01999999-0000-7000-8000-000000000001',
  kind: 'start-run',
  campaignId: '01999999-0000-7000-8000-000000000002',
  revision: 1,
  scheduledFor: '2026-01-01T00:00:00.000Z',
};
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('reading a message', () => {
  it('gives the message where it has its shape', () => {
    expect(readMessage(fireMessage, bytesOf(fire))).toEqual({ ok: true, message: fire });
  });

  it.each([
    ['the field and the value', { ...fire, scheduledFor: 'tomorrow' }, /^scheduledFor: .*\(found "tomorrow"\)$/],
    ['a field that is not there', { ...fire, revision: undefined }, /^revision: .*\(found nothing\)$/],
    ['that it is no object', [], /\(found \[\]\)$/],
  ])('names %s', (_what, value, reason) => {
    const read = readMessage(fireMessage, bytesOf(value));
    expect(read.ok ? '' : read.reason).toMatch(reason);
  });

  it('says what it found where that is no JSON, or nothing at all', () => {
    expect(readMessage(fireMessage, Buffer.from('gar\u0000bage'))).toEqual({ ok: false, reason: 'not JSON: gar bage' });
    expect(readMessage(fireMessage, null)).toEqual({ ok: false, reason: 'it has no value' });
  });

  it('has a short reason that can be stored, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.json(), (bytes, text) => {
        for (const value of [Buffer.from(bytes), Buffer.from(text)]) {
          const read = readMessage(fireMessage, value);
          if (read.ok) continue;
          expect(read.reason.length).toBeLessThan(300);
          expect(read.reason).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});

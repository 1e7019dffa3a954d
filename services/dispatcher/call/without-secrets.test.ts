import { fc } from '../../../test/support/properties.ts';
import { expect, it } from 'vitest';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import { secretsIn, secretsOfTarget, storableText, withoutSecrets } from './without-secrets.ts';

it('knows the secrets among the headers by their names', () => {
  const headers = [
    'Authorization',
    'Bearer abcdefgh',
    'x-api-key',
    '1234567',
    'content-type',
    'application/json',
    'x-token',
    'ab',
  ];
  expect(secretsIn(headers)).toEqual(['Bearer abcdefgh', '1234567']);
});

it('knows the secrets in a URL by their name and their length', () => {
  expect(secretsOfTarget('/services/T0/xyzABC123xyzABC', 'token=a%2Fb-cdef&kind=birthday&sig=abc')).toEqual([
    'token=a%2Fb-cdef&kind=birthday&sig=abc',
    'xyzABC123xyzABC',
    'a%2Fb-cdef',
    'a/b-cdef',
  ]);
  expect(secretsOfTarget('', '')).toEqual([]);
});

it('removes what was sent and is secret, wherever the receiver repeats it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(!'[removed]'.includes(secret) && !secret.includes('[removed]'));
      expect(withoutSecrets(`${before}${secret}${after}`, [secret])).toContain('[removed]');
      expect(withoutSecrets(`you sent ${secret}.`, [secret])).not.toContain(secret);
    }),
  );
});

it.each([
  ['{"authorization":"Bearer abc.def-123456"}', '{"authorization":"[removed]"}'],
  ['basic dXNlcjpwYXNz failed', '[removed] failed'],
  ['your whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'your [removed]'],
  ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln ok', 'token [removed] ok'],
  ['nothing to hide', 'nothing to hide'],
])('knows secrets by their form: %s', (text, cleaned) => {
  expect(withoutSecrets(text, [])).toBe(cleaned);
});

it('makes of any bytes a text that Postgres can keep', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => isStorable(storableText(Buffer.from(bytes)))));
});

import { fc } from '../../../test/support/properties.ts';
import { expect, it } from 'vitest';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import { secretsIn, secretsOfTarget, storableText, withoutSecrets } from './without-secrets.ts';

it('the values of secret headers are recognised by the names of the headers', () => {
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

it('secrets in a URL are recognised by parameter name and by length', () => {
  expect(secretsOfTarget('/services/T0/xyzABC123xyzABC', 'token=a%2Fb-cdef&kind=birthday&sig=abc')).toEqual([
    'token=a%2Fb-cdef&kind=birthday&sig=abc',
    'xyzABC123xyzABC',
    'a%2Fb-cdef',
    'a/b-cdef',
  ]);
  expect(secretsOfTarget('', '')).toEqual([]);
});

it('a secret that was sent is removed from the stored answer', () => {
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
])('secrets are recognised by their form: %s', (text, cleaned) => {
  expect(withoutSecrets(text, [])).toBe(cleaned);
});

it('any bytes are converted into a text that Postgres can store', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => isStorable(storableText(Buffer.from(bytes)))));
});

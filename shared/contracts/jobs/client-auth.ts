import { z } from 'zod';
import { sealedValue } from './stored-calls.ts';
import { refusals, withCode } from '../stated-rules.ts';

/** Credentials of a client's calls, in three forms: as requested, as stored, and as shown. */
const visible = /^[\x21-\x7e]+$/;

const origin = z
  .string()
  .max(300)
  .refine(
    (text) => {
      const parsed = URL.parse(text);
      return (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') && parsed.origin === text;
    },
    withCode('invalid-origin', 'has to be only scheme, host and port in lowercase, such as https://shop.example'),
  )
  .meta({
    pattern: String.raw`^https?://(?:[^\s/?#@:A-Z\[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$`,
    ...refusals({ 'invalid-origin': 'an origin is not as browsers write it, such as one with the usual port' }),
    examples: ['https://shop.example.com'],
  });

const origins = z
  .array(origin)
  .min(1)
  .max(20)
  .describe('Scheme, host and port of the servers that receive it; it is sent to no other server');

const username = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x20-\x39\x3b-\x7e]+$/, 'has to be visible ASCII without a colon');

const password = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x20-\x7e]+$/, 'has to be visible ASCII')
  .meta({ format: 'password' });

const secretOf = (max: number) =>
  z.string().max(max).regex(visible, 'has to be visible ASCII without blanks').meta({ format: 'password' });

const tokenUrl = z
  .string()
  .max(2048)
  .refine(
    (text) => {
      const parsed = URL.parse(text);
      const isHttp = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
      return isHttp && parsed.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === '';
    },
    withCode('invalid-url', 'has to be an http:// or https:// URL without user, password, query and fragment'),
  )
  .meta({
    pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?:[^?#]*$`,
    ...refusals({ 'invalid-url': 'a URL has a user or an impossible host' }),
    examples: ['https://login.example.com/token'],
  })
  .describe('URL of the token server; the client’s egress rules apply');

const pem = z.string().max(20_000).startsWith('-----BEGIN ', 'has to be PEM');

export const newClientAuth = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('bearer'), origins, token: secretOf(8000) }),
    z.strictObject({ kind: z.literal('basic'), origins, username, password }),
    z
      .strictObject({
        kind: z.literal('oauth2'),
        origins,
        tokenUrl,
        clientId: password.describe('Client id at the token server'),
        clientSecret: password,
        scope: z.string().min(1).max(1000).optional(),
      })
      .describe(
        'Access tokens by client credentials (RFC 6749, section 4.4), which each dispatcher requests and caches',
      ),
    z
      .strictObject({
        kind: z.literal('mtls'),
        origins,
        certificate: pem.describe('PEM; with intermediate certificates if the receivers need them'),
        key: pem.describe('PEM, not encrypted').meta({ format: 'password' }),
        ca: pem.optional().describe('PEM: certificate authorities of the receivers, instead of the default ones'),
      })
      .describe('Client certificate that dispatchers present to these servers'),
  ])
  .meta({
    id: 'NewClientAuth',
    examples: [{ kind: 'bearer', origins: ['https://shop.example.com'], token: '3f9c0c27' }],
  });

export type NewClientAuth = z.output<typeof newClientAuth>;

const kept = { origins: z.array(z.string()), changedAt: z.iso.datetime({ precision: 3 }) };

const certificateFields = { certificate: z.string(), ca: z.string().nullable(), validUntil: kept.changedAt };
const tokenFields = { tokenUrl: z.string(), clientId: z.string(), scope: z.string().nullable() };

export const storedClientAuth = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('bearer'), ...kept, token: sealedValue }),
  z.object({ kind: z.literal('basic'), ...kept, username: z.string(), password: sealedValue }),
  z.object({ kind: z.literal('oauth2'), ...kept, ...tokenFields, clientSecret: sealedValue }),
  z.object({ kind: z.literal('mtls'), ...kept, ...certificateFields, key: sealedValue }),
]);

export type StoredClientAuth = z.output<typeof storedClientAuth>;

const maskedValue = z.object({ set: z.literal(true), length: z.int().describe('In characters') });

export const clientAuthShape = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('bearer'), ...kept, token: maskedValue }),
    z.object({ kind: z.literal('basic'), ...kept, username: z.string(), password: maskedValue }),
    z.object({ kind: z.literal('oauth2'), ...kept, ...tokenFields, clientSecret: maskedValue }),
    z.object({ kind: z.literal('mtls'), ...kept, ...certificateFields, key: maskedValue }),
  ])
  .meta({ id: 'ClientAuth' });

export type ClientAuthShape = z.output<typeof clientAuthShape>;

/** Returns the encryption context of a secret, which binds the secret to its client and destination servers. */
export function authPlace(clientId: string, secret: string, sentTo: readonly string[]): string {
  return `client:${clientId}:auth:${secret}:${sentTo.join(',')}`;
}

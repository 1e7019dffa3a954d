import { z } from 'zod';
import { roles } from '../../domain/roles.ts';
import { keyScope, roleDescriptions } from './api-keys.ts';
import { forbids, notExactlyOne } from '../stated-rules.ts';

export const logIn = z
  .strictObject({
    apiKey: z.string().max(512).optional().describe('mk_…'),
    link: z.string().max(512).optional().describe('The part after # of a single-use login link'),
    code: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('Authorization code that the identity provider returned, with its state'),
    state: z.string().max(128).optional(),
  })
  .refine(
    ({ apiKey, link, code, state }) =>
      [apiKey, link, code].filter((each) => each !== undefined).length === 1 &&
      (code === undefined) === (state === undefined),
    'has to contain apiKey, link, or code and state',
  )
  .meta({
    ...forbids(...notExactlyOne('apiKey', 'link', 'code')),
    dependentRequired: { code: ['state'], state: ['code'] },
    id: 'LogIn',
    examples: [{ apiKey: 'mk_…' }],
  });

export type LogIn = z.output<typeof logIn>;

export const logInWays = z
  .object({
    apiKey: z.boolean(),
    issuer: z.object({ name: z.string() }).nullable().describe('Identity provider for signing in; null: none'),
  })
  .meta({ id: 'LogInWays' });

export const startedSignIn = z.object({
  url: z.string().describe('Login page of the identity provider, for this browser only'),
});

export const sessionShape = z
  .object({
    keyId: z.string(),
    keyName: z.string(),
    role: z.enum(roles).describe(roleDescriptions),
    scope: keyScope,
    csrfToken: z
      .string()
      .nullable()
      .describe(
        'Value of the header X-CSRF-Token for all requests except GET and HEAD; null if the request used the key itself',
      ),
    expiresAt: z.iso
      .datetime({ precision: 3 })
      .nullable()
      .describe(
        'End of the session; it also ends twelve hours after its last use. null if the request used the key itself',
      ),
    installation: z.object({
      name: z.string().nullable(),
      version: z.string(),
      zone: z.string().describe('Default time zone for displayed times'),
      countries: z.array(z.string()).nullable().describe('null: any'),
    }),
  })
  .meta({ id: 'Session' });

export const logInLink = z
  .object({
    link: z.string().describe('Secret until it is used'),
    url: z.string().describe('Opens the console and logs in. Browsers do not send the part after # to servers'),
    expiresAt: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'LogInLink' });

export const endedSessions = z.object({ ended: z.int().describe('Sessions of the key') });

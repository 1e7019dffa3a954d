import { z } from 'zod';
import { roles } from '../../domain/roles.ts';
import { keyScope, rolesSaid } from './api-keys.ts';
import { forbids, notExactlyOne } from '../stated-rules.ts';

export const logIn = z
  .strictObject({
    apiKey: z.string().max(512).optional().describe('mk_…'),
    link: z.string().max(512).optional().describe('What stands behind # in a link that logs in once'),
    code: z.string().min(1).max(2048).optional().describe('What an issuer sent back, with its state'),
    state: z.string().max(128).optional(),
  })
  .refine(
    ({ apiKey, link, code, state }) =>
      [apiKey, link, code].filter((each) => each !== undefined).length === 1 &&
      (code === undefined) === (state === undefined),
    'has to hold apiKey, link, or code and state',
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
    issuer: z.object({ name: z.string() }).nullable().describe('Who can be signed in at; null: none'),
  })
  .meta({ id: 'LogInWays' });

export const begunSignIn = z.object({ url: z.string().describe('Of the issuer; for this browser alone') });

export const sessionShape = z
  .object({
    keyId: z.string(),
    keyName: z.string(),
    role: z.enum(roles).describe(rolesSaid),
    scope: keyScope,
    csrfToken: z
      .string()
      .nullable()
      .describe('For the header X-CSRF-Token of everything but GET and HEAD; null where the key itself was sent'),
    expiresAt: z.iso
      .datetime({ precision: 3 })
      .nullable()
      .describe('It ends then, and twelve hours after it was used last; null where the key itself was sent'),
    installation: z.object({
      name: z.string().nullable(),
      version: z.string(),
      zone: z.string().describe('In which times are shown, unless somebody wants another'),
      countries: z.array(z.string()).nullable().describe('null: any'),
    }),
  })
  .meta({ id: 'Session' });

export const logInLink = z
  .object({
    link: z.string().describe('Secret until it is used'),
    url: z.string().describe('Opens the console, logged in. What stands behind # is sent to no server by itself'),
    expiresAt: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'LogInLink' });

export const endedSessions = z.object({ ended: z.int().describe('Sessions of the key') });

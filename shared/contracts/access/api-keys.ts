import { z } from 'zod';
import { actionTypePattern, countryPattern } from '../../domain/endpoint/shard.ts';
import { isPlainOwner, normalOwner } from '../../domain/approval/person-of.ts';
import { anyInstant } from '../instants.ts';
import { refusals, storedName, withCode } from '../stated-rules.ts';
import { roles } from '../../domain/roles.ts';
import { clientRef } from '../jobs/jobs.ts';
import { nameShape } from '../stored-texts.ts';

const text = nameShape(200);
const time = z.iso.datetime({ precision: 3 });
const most = 1000;

const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');
const actionType = z.string().regex(actionTypePattern, 'has to be the name of an action type');

const scopeWords = {
  clients: 'Whose jobs and schedules it sees and may touch: names or ids; null: everybody’s',
  countries:
    'It sees campaigns that are for one of them, and may change those that are for no other country; null: of any',
  actionTypes:
    'It sees campaigns whose chain has one of them, and may change those whose chain has no other; null: any',
  users:
    'true: it reads the users of every campaign that it sees (runs, failures, receipts, hold-outs), and those on suppression lists. ' +
    'false: of campaigns that it may change, and with every country and action type all of them',
};

/** Scope of a key. Null in a field means everything of that kind. */
export const keyScope = z
  .object({
    clients: z.array(clientRef).nullable().describe(scopeWords.clients),
    countries: z.array(country).nullable().describe(scopeWords.countries),
    actionTypes: z.array(actionType).nullable().describe(scopeWords.actionTypes),
    users: z.boolean().describe(scopeWords.users),
  })
  .meta({ id: 'Scope', description: 'What of the installation a key is for. null is all of that kind, [] is none' });

/** Scope in a request. A key for clients is for callbacks alone, unless the request names campaigns too. */
export const wantedScope = z
  .strictObject({
    clients: z.array(clientRef).max(most).nullable().default(null).describe(scopeWords.clients),
    countries: z
      .array(country)
      .max(most)
      .nullable()
      .optional()
      .describe(
        `${scopeWords.countries}. Without it none where \`clients\` are named without \`actionTypes\`, else any`,
      ),
    actionTypes: z
      .array(actionType)
      .max(most)
      .nullable()
      .optional()
      .describe(
        `${scopeWords.actionTypes}. Without it none where \`clients\` are named without \`countries\`, else any`,
      ),
    users: z.boolean().default(false).describe(scopeWords.users),
  })
  .meta({
    id: 'WantedScope',
    description:
      'What of the installation a key is to be for. null is all of that kind, [] is none. Clients alone: callbacks, and no campaigns',
  });

/** Limits of a key; null means none of its own. The limits of its clients apply in addition. */
export const keyBounds = z
  .strictObject({
    jobsPerSecond: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe('Jobs that it brings, over all processes of the API: more are 429 `too-many-jobs` with Retry-After'),
    storedJobs: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .nullable()
      .default(null)
      .describe(
        'It brings no jobs while their client has so many that have not ended, whoever brought them: 429 `quota-exceeded`',
      ),
    requestsPerMinute: z
      .int()
      .min(1)
      .max(6000)
      .nullable()
      .default(null)
      .describe('All other requests, in each process of the API; 6,000 without one: 429 `too-many-requests`'),
  })
  .meta({ id: 'KeyBounds', description: 'What a key may use of what it is for. null is no bound of its own' });

export const rolesSaid =
  'viewer looks; scheduler has jobs and schedules of its clients; manager makes and carries out campaigns; approver approves those of others; operator does everything';

const unclear = 'an owner has to be visible characters, and no word of it has letters of two scripts that look alike';

const ownerText = text
  .overwrite(normalOwner)
  .refine((owner) => isPlainOwner(owner) && owner.length <= 200, withCode('unclear-owner', unclear))
  .meta({ ...storedName, ...refusals({ 'unclear-owner': unclear }) });

const ownerWords =
  'Whom to ask about it; a person where it writes or approves campaigns: keys of one owner are one person, and so are owners that look alike';

const fields = {
  name: text.describe('Such as the service, or the person, that has it'),
  // A plain string: an identity provider may use owner names that requests must not.
  owner: text.nullable().describe(ownerWords),
  role: z.enum(roles).describe(rolesSaid),
  scope: keyScope,
  bounds: keyBounds,
  expiresAt: anyInstant.nullable().describe('It is refused from then on; null: it stays'),
};

export const newApiKey = z
  .strictObject({
    ...fields,
    owner: ownerText.nullable().default(null).describe(ownerWords),
    scope: wantedScope.prefault({}),
    bounds: keyBounds.prefault({}),
    expiresAt: fields.expiresAt.default(null),
  })
  .meta({
    id: 'NewApiKey',
    examples: [{ name: 'checkout', owner: 'payments', role: 'scheduler', scope: { clients: ['shop'] } }],
  });

export const apiKeyPatch = z
  .strictObject({
    name: fields.name.optional(),
    owner: ownerText.nullable().optional().describe(ownerWords),
    role: fields.role.optional(),
    scope: wantedScope.optional().describe('Takes the place of the whole scope before'),
    bounds: keyBounds.optional().describe('Take the place of all bounds before'),
    expiresAt: fields.expiresAt.optional(),
  })
  .meta({ id: 'ApiKeyPatch', examples: [{ owner: 'payments' }] });

export const apiKeyStates = ['active', 'expired', 'revoked'] as const;
export const apiKeyKinds = ['key', 'person'] as const;

export const apiKeyShape = z
  .object({
    id: z.string(),
    ...fields,
    expiresAt: time.nullable(),
    state: z.enum(apiKeyStates),
    revision: z.int().min(1).describe('Moves with every change; the ETag'),
    createdAt: time,
    madeBy: z.string().nullable().describe('key_…; null: made by whoever has the database'),
    lastUsedAt: time.nullable().describe('To the minute, sessions included; null: never'),
    rotatedAt: time.nullable(),
    formerUntil: time.nullable().describe('The secret before the last rotation opens it until then; null: none does'),
    revokedAt: time.nullable(),
    refusals: z
      .object({
        count: z.int().min(1).describe('Those of the last minute may be missing'),
        lastAt: time,
        lastFrom: z
          .string()
          .nullable()
          .describe('The address that connected, a proxy’s where one stands before the API'),
      })
      .nullable()
      .describe(
        'Requests with a secret of it that opens nothing any more: it has expired, was revoked, or was rotated and its overlap is over. ' +
          'Since its end was set or it was rotated; null: none',
      ),
    person: z
      .object({ issuer: z.string(), subject: z.string() })
      .nullable()
      .describe(
        'Of one that an issuer vouches for: there is no secret, and role, scope and name are what its token said last; null: a key',
      ),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyShape = z.output<typeof apiKeyShape>;

/** A key with its number of sessions: only lists have it, counted for a whole page at once. */
export const listedApiKey = apiKeyShape
  .extend({ sessions: z.int().min(0).describe('Browsers that are logged in with it') })
  .meta({ id: 'ListedApiKey' });

export const issuedApiKey = z
  .object({ key: apiKeyShape, secret: z.string().describe('mk_…: shown this once') })
  .meta({ id: 'IssuedApiKey' });

const ninetyDays = 90 * 86_400;

export const rotation = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(ninetyDays)
      .default(86_400)
      .describe('So long the secret before, and sessions that it opened, go on; 0 where others know it'),
  })
  .meta({ id: 'Rotation', examples: [{ overlapSeconds: 3600 }] });

export type ScopeShape = z.output<typeof keyScope>;
export type WantedScope = z.output<typeof wantedScope>;

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
  clients: 'Clients whose jobs and schedules the key may read and change, by name or id; null: all clients',
  countries:
    'The key may read campaigns for at least one of these countries, and change campaigns for no other country; null: all countries',
  actionTypes:
    'The key may read campaigns whose chain has at least one of these action types, and change those whose chain has no other; null: all',
  users:
    'true: the key reads users of all campaigns that it may read (runs, failures, receipts, hold-outs), and of suppression lists. ' +
    'false: it reads users only of campaigns that it may change, or of all if its scope has all countries and action types',
};

/** Scope of a key. A null field limits nothing: it includes all objects of that kind. */
export const keyScope = z
  .object({
    clients: z.array(clientRef).nullable().describe(scopeWords.clients),
    countries: z.array(country).nullable().describe(scopeWords.countries),
    actionTypes: z.array(actionType).nullable().describe(scopeWords.actionTypes),
    users: z.boolean().describe(scopeWords.users),
  })
  .meta({ id: 'Scope', description: 'Resources that a key may use. null means all of that kind, [] means none' });

/** Scope in a request. A key for clients is for callbacks alone, unless the request names campaigns too. */
export const requestedScope = z
  .strictObject({
    clients: z.array(clientRef).max(most).nullable().default(null).describe(scopeWords.clients),
    countries: z
      .array(country)
      .max(most)
      .nullable()
      .optional()
      .describe(
        `${scopeWords.countries}. Default: none if \`clients\` is given without \`actionTypes\`, otherwise all`,
      ),
    actionTypes: z
      .array(actionType)
      .max(most)
      .nullable()
      .optional()
      .describe(
        `${scopeWords.actionTypes}. Default: none if \`clients\` is given without \`countries\`, otherwise all`,
      ),
    users: z.boolean().default(false).describe(scopeWords.users),
  })
  .meta({
    id: 'WantedScope',
    description:
      'Resources that a key may use. null means all of that kind, [] means none. With `clients` alone, the key may schedule callbacks but not use campaigns',
  });

/** Limits of a key; null means that the key has no limit of its own. The limits of its clients apply in addition. */
export const keyBounds = z
  .strictObject({
    jobsPerSecond: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe(
        'Jobs per second submitted with this key, over all API processes. More are refused with 429 `too-many-jobs` and Retry-After',
      ),
    storedJobs: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .nullable()
      .default(null)
      .describe(
        'Open jobs of a client, submitted with any key, above which jobs of this key are refused with 429 `quota-exceeded`',
      ),
    requestsPerMinute: z
      .int()
      .min(1)
      .max(6000)
      .nullable()
      .default(null)
      .describe(
        'All other requests per minute in each API process; null means 6,000. More are refused with 429 `too-many-requests`',
      ),
  })
  .meta({ id: 'KeyBounds', description: 'Limits of a key. null means no limit of its own' });

export const roleDescriptions =
  'viewer: reads; scheduler: manages jobs and schedules of its clients; manager: creates and runs campaigns; approver: approves campaigns of others; operator: all actions';

const unclear =
  'an owner has to consist of visible characters, without words that mix letters of scripts that look alike';

const ownerText = text
  .overwrite(normalOwner)
  .refine((owner) => isPlainOwner(owner) && owner.length <= 200, withCode('unclear-owner', unclear))
  .meta({ ...storedName, ...refusals({ 'unclear-owner': unclear }) });

const ownerWords =
  'Team or person responsible for the key; a person if the key writes or approves campaigns. Keys of the same owner count as one person, and so do owners that look alike';

const fields = {
  name: text.describe('Such as the name of the service or person that uses the key'),
  // A plain string, because an identity provider may use owner names that are not allowed in requests.
  owner: text.nullable().describe(ownerWords),
  role: z.enum(roles).describe(roleDescriptions),
  scope: keyScope,
  bounds: keyBounds,
  expiresAt: anyInstant.nullable().describe('Time after which the key is refused; null: it does not expire'),
};

export const newApiKey = z
  .strictObject({
    ...fields,
    owner: ownerText.nullable().default(null).describe(ownerWords),
    scope: requestedScope.prefault({}),
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
    scope: requestedScope.optional().describe('Replaces the whole previous scope'),
    bounds: keyBounds.optional().describe('Replaces all previous limits'),
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
    revision: z.int().min(1).describe('Increases with every change; the ETag'),
    createdAt: time,
    createdBy: z
      .string()
      .nullable()
      .describe('key_…; null: created from the command line, with access to the database'),
    lastUsedAt: time.nullable().describe('Time of the last use, sessions included, to the minute; null: never used'),
    rotatedAt: time.nullable(),
    formerUntil: time
      .nullable()
      .describe('Time until which the previous secret is still accepted; null: it is not accepted'),
    revokedAt: time.nullable(),
    refusals: z
      .object({
        count: z.int().min(1).describe('Requests of the last minute may be missing'),
        lastAt: time,
        lastFrom: z
          .string()
          .nullable()
          .describe('Address that connected: the proxy’s if there is a proxy in front of the API'),
      })
      .nullable()
      .describe(
        'Requests with a secret of this key that is no longer valid: expired, revoked, or rotated with its overlap over. ' +
          'Counted since the key was ended or rotated; null: none',
      ),
    person: z
      .object({ issuer: z.string(), subject: z.string() })
      .nullable()
      .describe(
        'Identity from an identity provider: it has no secret, and its role, scope and name come from its last token; null: an API key',
      ),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyShape = z.output<typeof apiKeyShape>;

/**
 * A key with its number of sessions. Only lists contain this number, because it is counted for a whole page at once.
 */
export const listedApiKey = apiKeyShape
  .extend({ sessions: z.int().min(0).describe('Browser sessions opened with this key') })
  .meta({ id: 'ListedApiKey' });

export const issuedApiKey = z
  .object({ key: apiKeyShape, secret: z.string().describe('mk_…: shown only in this answer') })
  .meta({ id: 'IssuedApiKey' });

const ninetyDays = 90 * 86_400;

export const rotation = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(ninetyDays)
      .default(86_400)
      .describe('Seconds for which the previous secret and its sessions remain valid; use 0 if the secret has leaked'),
  })
  .meta({ id: 'Rotation', examples: [{ overlapSeconds: 3600 }] });

export type ScopeShape = z.output<typeof keyScope>;
export type RequestedScope = z.output<typeof requestedScope>;

import {
  changeApiKey,
  createApiKey,
  getApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../../sdk/generated/sdk.gen.ts';
import type { ApiKey, ApiKeyPatchInput, ListApiKeysData, ListedApiKey } from '../../sdk/generated/types.gen.ts';
import { roles } from '../../shared/domain/roles.ts';
import { z } from 'zod';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { changesFile, readFields } from '../frame/given.ts';
import { flag, neededOneOf, oneOf, pages, several, text, whole, within } from '../frame/options.ts';
import { count } from '../show/numbers.ts';
import { cut, left, renderFacts, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { calls, refusedPeople } from './caller-commands.ts';

type State = NonNullable<NonNullable<ListApiKeysData['query']>['state']>;
const states: readonly State[] = ['active', 'expired', 'revoked'];
const kinds = ['key', 'person'] as const;

const roleDescription =
  'viewer: reads; scheduler: jobs and schedules; manager: campaigns and runs; approver: approvals; operator: everything';

/** Describes a scope, such as `clients orders, billing · countries SG`; `everything` for a scope without bounds. */
function scopeText({ scope: { clients, countries, actionTypes, users } }: ApiKey): string {
  const parts = Object.entries({ clients, countries, actions: actionTypes });
  const bounds = parts.flatMap(([of, names]) => (names === null ? [] : [`${of} ${names.join(', ') || 'none'}`]));
  return [...bounds, ...(users ? ['users of what it sees'] : [])].join(' · ') || 'everything';
}

/** Formats `200 jobs/s · 500,000 jobs stored`; empty without bounds. */
function boundsText({ bounds: { jobsPerSecond, storedJobs, requestsPerMinute } }: ApiKey): string {
  return [
    ...(jobsPerSecond === null ? [] : [`${count(jobsPerSecond)} jobs/s`]),
    ...(storedJobs === null ? [] : [`${count(storedJobs)} jobs stored`]),
    ...(requestsPerMinute === null ? [] : [`${count(requestsPerMinute)} requests/min`]),
  ].join(' · ');
}

const when = (time: string | null) => (time === null ? '' : utcTime(time));

function renderKey(key: ApiKey, view: View): string {
  const { id, name, owner, role, state, expiresAt, lastUsedAt, formerUntil, createdAt, createdBy } = key;
  const facts = [
    ['owner', owner ?? ''],
    ['scope', scopeText(key)],
    ['bounds', boundsText(key) || 'none of its own'],
    ['expires', when(expiresAt) || 'never'],
    ['last used', when(lastUsedAt) || 'never'],
    ...(key.refusals === null ? [] : [['refused', refusedText(key)] as const]),
    ['made', `${utcTime(createdAt)} by ${createdBy ?? 'whoever has the database'}`],
    ...(formerUntil === null ? [] : [['rotating', `the secret before is good until ${utcTime(formerUntil)}`] as const]),
  ] as const;
  return renderFacts({ name, facts: [id, role, state] }, facts, view);
}

/** Formats `17 times, last 2026-11-24 10:30 from 10.20.7.14`; empty without refusals. */
function refusedText({ refusals }: ApiKey): string {
  if (refusals === null) return '';
  const { count: times, lastAt, lastFrom } = refusals;
  return `${times === 1 ? 'once' : `${count(times)} times`}, last ${utcTime(lastAt)}${lastFrom === null ? '' : ` from ${lastFrom}`}`;
}

const list = command({
  name: 'list',
  description: 'list keys, newest first, without their secrets; revoked keys for thirty days',
  options: {
    state: oneOf('--state <state>', 'only those', states),
    role: oneOf('--role <role>', 'only those', roles),
    kind: oneOf('--kind <kind>', 'keys, or people who sign in with an issuer', kinds),
    used: oneOf('--used <yes>', 'keys that were used, or never used', ['true', 'false']),
    endsWithinDays: whole('--ends-within <days>', 'active keys that expire within this number of days'),
    refused: oneOf('--refused <yes>', 'expired or revoked keys that were used in the last seven days, or all others', [
      'true',
      'false',
    ]),
    q: text('--search <text>', 'part of the name or owner'),
    ...pages(50, 1000),
  },
  ask: ({ client, options: query }) => listApiKeys({ client, query }),
  render: tableOf<ListedApiKey>('no keys', [
    cut('name', ({ name }) => name),
    left('id', ({ id }) => id),
    cut('owner', ({ owner }) => owner ?? ''),
    left('role', ({ role }) => role),
    cut('scope', scopeText),
    cut('bounds', boundsText),
    left('state', ({ state, formerUntil }) => (state === 'active' && formerUntil !== null ? 'rotating' : state)),
    left('expires', ({ expiresAt }) => when(expiresAt)),
    left('last used', ({ lastUsedAt }) => when(lastUsedAt) || 'never'),
    right('logged in', ({ sessions }) => (sessions === 0 ? '' : sessions)),
    right('refused', ({ refusals }) => (refusals === null ? '' : count(refusals.count))),
  ]),
});

const show = command({
  name: 'show',
  args: ['<key>'],
  description: 'show a key',
  ask: ({ client, args: [id] }) => getApiKey({ client, path: { id } }),
  render: renderKey,
});

const create = command({
  name: 'create',
  args: ['<name>'],
  description: 'create a key, and print its secret once; without a scope it is valid for everything',
  options: {
    role: neededOneOf('--role <role>', roleDescription, roles),
    owner: text('--owner <team>', 'team or person to contact'),
    clients: several('--client <client>', 'only jobs and schedules of this client, and no campaigns; repeatable'),
    countries: several('--country <country>', 'only campaigns of this country; repeatable'),
    actionTypes: several('--action-type <name>', 'only campaigns with this action type; repeatable'),
    users: flag('--reads-users', 'may read users of every campaign in its scope, and of suppression lists'),
    jobsPerSecond: whole('--jobs-per-second <n>', 'maximum jobs per second, over all processes of the API'),
    storedJobs: whole('--stored-jobs <n>', 'accepts no jobs while the client has this many open jobs'),
    requestsPerMinute: whole(
      '--requests-per-minute <n>',
      'maximum other requests per minute, in each process of the API',
    ),
    expiresAt: text('--expires-at <time>', 'RFC 3339; by default the key does not expire'),
  },
  ask: ({ client, args: [name], options }) => {
    const { role, owner = null, expiresAt = null, jobsPerSecond, storedJobs, requestsPerMinute, ...scope } = options;
    const bounds = {
      ...(jobsPerSecond !== undefined && { jobsPerSecond }),
      ...(storedJobs !== undefined && { storedJobs }),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    };
    const isBounded = Object.keys(bounds).length > 0;
    return createApiKey({ client, body: { name, role, owner, expiresAt, scope, ...(isBounded && { bounds }) } });
  },
  refused: 'not made',
  render: ({ secret }) => `${secret}\n`,
  hint: ({ key }) => {
    const what = [key.role, scopeText(key), boundsText(key)].filter((each) => each !== '').join(', ');
    return `${key.id} ${key.name}, ${what}: keep it, it is not shown again`;
  },
});

const set = command({
  name: 'set',
  args: ['<key>', '[field=value...]'],
  description: 'change name, owner, role, scope, limits or expiresAt of a key',
  options: changesFile,
  ask: async ({ client, args: [id, words], options: { file }, context: { input } }) =>
    changeApiKey({
      client,
      path: { id },
      body: await readFields({ words, file, input }, z.custom<ApiKeyPatchInput>()),
    }),
  refused: 'not changed',
  render: ({ id }) => `${id}\n`,
  hint: (key) => `${key.name} is a ${key.role} now, for ${scopeText(key)}`,
});

const rotate = command({
  name: 'rotate',
  args: ['<key>'],
  description: 'give a key a new secret, and print it once; the previous one stays valid until the overlap ends',
  options: {
    overlapSeconds: within(
      '--overlap <seconds>',
      'seconds for which the previous secret stays valid; 0 if it has leaked',
      {
        least: 0,
        most: 90 * 86_400,
        usual: 86_400,
      },
    ),
  },
  ask: ({ client, args: [id], options: body }) => rotateApiKey({ client, path: { id }, body }),
  refused: 'not rotated',
  render: ({ secret }) => `${secret}\n`,
  hint: ({ key: { name, formerUntil } }) =>
    formerUntil === null
      ? `${name}: the secret before opens nothing any more`
      : `${name}: the secret before is good until ${utcTime(formerUntil)}`,
});

const revoke = command({
  name: 'revoke',
  args: ['<key>'],
  description: 'revoke a key and its sessions at once',
  ask: ({ client, args: [id] }) => revokeApiKey({ client, path: { id } }),
  refused: 'not revoked',
  render: ({ id }) => `${id}\n`,
  hint: ({ name }) => `${name} is refused from now on`,
});

export const heading: Heading = 'Access';

export const commands = group('api-keys', 'API keys: roles, scopes and limits', [
  ...[list, show, calls, create, set, rotate, revoke, refusedPeople],
]);

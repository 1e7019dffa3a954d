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
  'viewer: looks; scheduler: jobs and schedules; manager: campaigns and their runs; approver: approves them; operator: everything';

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
  const { id, name, owner, role, state, expiresAt, lastUsedAt, formerUntil, createdAt, madeBy } = key;
  const facts = [
    ['owner', owner ?? ''],
    ['scope', scopeText(key)],
    ['bounds', boundsText(key) || 'none of its own'],
    ['expires', when(expiresAt) || 'never'],
    ['last used', when(lastUsedAt) || 'never'],
    ...(key.refusals === null ? [] : [['refused', refusedText(key)] as const]),
    ['made', `${utcTime(createdAt)} by ${madeBy ?? 'whoever has the database'}`],
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
  description: 'keys, the newest first, without their secrets; revoked ones for thirty days',
  options: {
    state: oneOf('--state <state>', 'only those', states),
    role: oneOf('--role <role>', 'only those', roles),
    kind: oneOf('--kind <kind>', 'keys, or whoever an issuer vouches for', kinds),
    used: oneOf('--used <yes>', 'those that were used ever, or never', ['true', 'false']),
    endsWithinDays: whole('--ends-within <days>', 'those that are active and end within so many days'),
    refused: oneOf('--refused <yes>', 'those that have ended and were sent in the last seven days, or the others', [
      'true',
      'false',
    ]),
    q: text('--search <text>', 'only those with it in their name or owner'),
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
  description: 'one of them',
  ask: ({ client, args: [id] }) => getApiKey({ client, path: { id } }),
  render: renderKey,
});

const create = command({
  name: 'create',
  args: ['<name>'],
  description: 'make one, and print its secret once; without a scope it is for everything',
  options: {
    role: neededOneOf('--role <role>', roleDescription, roles),
    owner: text('--owner <team>', 'whom to ask about it'),
    clients: several('--client <client>', 'its jobs and schedules alone, and no campaigns; may be given several times'),
    countries: several('--country <country>', 'campaigns of such countries alone; may be given several times'),
    actionTypes: several('--action-type <name>', 'campaigns of such actions alone; may be given several times'),
    users: flag('--reads-users', 'users of every campaign that it sees, and of suppression lists'),
    jobsPerSecond: whole('--jobs-per-second <n>', 'so many jobs it may bring, over all processes of the API'),
    storedJobs: whole('--stored-jobs <n>', 'it brings none while its client has so many that have not ended'),
    requestsPerMinute: whole('--requests-per-minute <n>', 'all other requests, in each process of the API'),
    expiresAt: text('--expires-at <time>', 'RFC 3339; it stays unless given'),
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
  description: 'change name, owner, role, scope, bounds or expiresAt of one',
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
  description: 'give one another secret, and print it once; the one before is good for a while',
  options: {
    overlapSeconds: within('--overlap <seconds>', 'so long the one before is good; 0 where others know it', {
      least: 0,
      most: 90 * 86_400,
      usual: 86_400,
    }),
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
  description: 'refuse one, and the sessions that it opened, from now on',
  ask: ({ client, args: [id] }) => revokeApiKey({ client, path: { id } }),
  refused: 'not revoked',
  render: ({ id }) => `${id}\n`,
  hint: ({ name }) => `${name} is refused from now on`,
});

export const heading: Heading = 'Access';

export const commands = group('api-keys', 'who may use the API, and for what; over the API', [
  ...[list, show, calls, create, set, rotate, revoke, refusedPeople],
]);

import { beforeAll, describe, expect, it } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { Role } from '../../../shared/domain/roles.ts';
import { wholeScope, type Scope } from '../../../shared/domain/scopes.ts';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { listedRoutes } from '../../../test/support/route-table.ts';
import { problem } from '../frame/problems.contract.ts';
import type { RouteScope } from './scopes.ts';
import { createTemplateStore } from '../campaigns/templates/postgres/template-store.ts';

const on = apiOnPostgres({ begun: 'once' });

/**
 * Objects of the second of two teams. The key `ours` belongs to an operator with a scope; `whole` belongs to an
 * operator without one.
 */
let theirs: Record<
  'client' | 'job' | 'deadJob' | 'change' | 'schedule' | 'campaign' | 'template' | 'run' | 'audience' | 'saved' | 'key',
  string
>;
let theirCampaignSchedule: string;
let ourClient: string;

const secrets = { ours: 'muster_an-operator-with-a-scope', whole: 'muster_an-operator-for-everything' };
const hook = 'https://shop.example.com/hook';

beforeAll(async () => {
  await addKey('whole', 'operator', wholeScope);
  const client = idOf(await ask('whole', 'POST /v1/clients', { name: 'theirs' }));
  ourClient = idOf(await ask('whole', 'POST /v1/clients', { name: 'ours' }));
  const scope = { clients: [uuidOf('client', ourClient) ?? ''], countries: ['SG'], actionTypes: ['award-reward'] };
  await addKey('ours', 'operator', scope);
  const theirJob = { client: 'theirs', url: hook, delaySeconds: 3600, body: { card: '4111' } };
  const job = idOf(await ask('whole', 'POST /v1/jobs', theirJob));
  const change = idOf(await ask('whole', 'POST /v1/jobs/changes', { client: 'theirs', verb: 'cancel', tag: 'none' }));
  const recurring = { name: 'nightly', cron: '0 3 * * *', zone: 'UTC', target: { client: 'theirs', url: hook } };
  const schedule = idOf(await ask('whole', 'POST /v1/schedules', recurring));
  const { campaignId } = await on.deps.campaigns.create(campaignDefinitionOf({ countries: ['ID'] }));
  const run = { campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' } as const;
  theirs = {
    client,
    job,
    change,
    schedule,
    deadJob: publicId('job', await addDeadJob(client)),
    campaign: publicId('campaign', campaignId),
    template: publicId('template', await addTemplate()),
    run: publicId('run', await on.deps.rows.addRun(run)),
    audience: publicId('audience', await addList()),
    saved: publicId('savedAudience', await addSaved()),
    key: publicId('apiKey', on.key),
  };
  theirCampaignSchedule = publicId('schedule', await addSchedule(campaignId));
});

async function addKey(name: keyof typeof secrets, role: Role, scope: Scope): Promise<void> {
  await on.deps.apiKeys.add({ name, role, scope, digest: digestOfApiKey(secrets[name]) });
}

async function addRow(text: string, values: unknown[]): Promise<string> {
  const { rows } = await on.pool.query<{ id: string }>(`${text} returning id`, values);
  return rows[0]?.id ?? expect.fail('a row was not kept');
}

const addDeadJob = (client: string) =>
  addRow(`insert into dead_jobs (id, client, cause, job) values (uuidv7(), $1, 'status 500', $2)`, [
    uuidOf('client', client),
    { scheduledFor: new Date(0), acceptedAt: new Date(0), attempt: 3, method: 'POST', url: hook, body: '4111' },
  ]);

const addList = () =>
  addRow(
    `insert into audiences (id, name, state, users, attempt) values (uuidv7(), 'theirs', 'ready', '{"ID": 3}', uuidv7())`,
    [],
  );

const addTemplate = async () => {
  const campaign = { countries: ['ID', { $variable: 'country' }], chain: [{ action: 'award-reward' }] };
  const definition = { name: 'theirs', variables: { country: { type: 'string' as const } }, campaign };
  return (await createTemplateStore(on.deps).create(uuidv7(), definition, null)).templateId;
};

const addSaved = async () => {
  const definition = { name: 'theirs', countries: ['ID'], audience: { include: [{ segment: 'riders' }] } };
  const saved = await on.deps.savedAudiences.create(uuidv7(), definition, null);
  return saved === 'list-gone' ? expect.fail(saved) : saved.savedAudienceId;
};

const addSchedule = (campaign: string) =>
  addRow(
    `insert into schedules (id, name, campaign, definition, state, high_water)
     values (uuidv7(), 'theirs', $1, '{}', 'active', now())`,
    [campaign],
  );

const methods = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function ask(by: keyof typeof secrets, route: string, payload?: object) {
  const [method, url = ''] = route.split(' ');
  const headers = { authorization: `Bearer ${secrets[by]}` };
  return on.api.server.inject({ method: methods.parse(method), url, headers, ...(payload && { payload }) });
}

function idOf(response: Awaited<ReturnType<typeof ask>>): string {
  return z.object({ id: z.string() }).parse(response.json()).id;
}

const codeOf = (response: Awaited<ReturnType<typeof ask>>) => {
  const read = problem.safeParse(response.statusCode < 400 ? {} : response.json());
  return `${response.statusCode} ${read.data?.code ?? ''}`.trim();
};

const routesOf = (scope: RouteScope) => listedRoutes.filter((each) => each.scope === scope).map(({ route }) => route);
const withId = (scope: RouteScope) => routesOf(scope).filter((route) => route.includes('{id}'));
const isLook = (route: string) => route.startsWith('GET ');

it.each([
  'job',
  'change',
  'client',
  'schedule',
  'deadJob',
  'key',
  'campaign',
  'template',
  'run',
  'audience',
  'saved',
] as const)('a key without a scope finds the %s of another team', async (kind) => {
  const nouns: Record<string, string> = {
    change: 'jobs/changes',
    deadJob: 'quarantine/jobs',
    key: 'api-keys',
    saved: 'audiences',
  };
  const noun = nouns[kind] ?? `${kind}s`;
  expect(codeOf(await ask('whole', `GET /v1/${noun}/${theirs[kind]}`))).toBe('200');
});

describe('a key with a scope', () => {
  it.each(withId('schedule').filter((route) => !isLook(route)))(
    "may not change the schedule of another team's campaign: %s",
    async (route) => {
      const path = route.replace('{id}', theirCampaignSchedule);
      expect(codeOf(await ask('ours', path))).toBe('404 schedule-not-found');
    },
  );

  it.each(withId('key'))('does not find a key with a larger scope: %s', async (route) => {
    const path = route.replace('{id}', theirs.key);
    expect(codeOf(await ask('ours', path, {}))).toMatch(/^(404 apiKey-not-found|422 )/);
  });

  const lists = [...routesOf('client'), ...routesOf('schedule'), ...routesOf('key')].filter(
    (route) => isLook(route) && !route.includes('{'),
  );

  it.each(lists)('lists nothing of another team: %s', async (route) => {
    const url = route === 'GET /v1/find' ? `${route}?q=${theirs.job}` : route;
    if (route === 'GET /v1/scheduler') await addCircuit();
    const neighbours = [theirs.client, theirs.job, theirs.deadJob, theirs.schedule, theirs.key];
    const shows = async (by: keyof typeof secrets) => {
      const { body, statusCode } = await ask(by, url);
      expect(statusCode).toBe(200);
      return neighbours.filter((id) => body.includes(id));
    };
    expect(await shows('ours')).toEqual([]);
    expect(await shows('whole')).not.toEqual([]);
  });

  const addCircuit = () =>
    on.pool.query(
      `insert into host_circuits (endpoint, host, state, cause, next_at) values ($1, 'a:443', 'open', 'x', now())`,
      [uuidOf('client', theirs.client)],
    );

  it.each(['client', 'schedule', 'job'] as const)('does not find a %s of another team', async (kind) => {
    const found = async (by: keyof typeof secrets) => (await ask(by, `GET /v1/find?q=${theirs[kind]}`)).json<unknown>();
    expect(await found('ours')).toEqual({ items: [] });
    expect(await found('whole')).toMatchObject({ items: [{ id: theirs[kind] }] });
  });

  const inBodies: [route: string, body: object][] = [
    ['POST /v1/jobs', { client: 'theirs', url: hook }],
    ['POST /v1/jobs/cancel', { client: 'theirs', idempotencyKeys: ['order-17'] }],
    ['POST /v1/jobs/reschedule', { client: 'theirs', idempotencyKeys: ['order-17'], delaySeconds: 60 }],
    ['POST /v1/jobs/resend', { client: 'theirs', idempotencyKeys: ['order-17'] }],
    ['POST /v1/jobs/find', { client: 'theirs', idempotencyKeys: ['order-17'] }],
    ['POST /v1/jobs/changes', { client: 'theirs', verb: 'cancel' }],
    ['POST /v1/quarantine/jobs/replay', { client: 'theirs' }],
    ['POST /v1/scheduler/hosts/enable', { client: 'theirs', host: 'a:443' }],
    ['POST /v1/schedules', { name: 'n', cron: '0 3 * * *', zone: 'UTC', target: { client: 'theirs', url: hook } }],
    ['POST /v1/audiences', { name: 'n', countries: ['ID'], audience: someCampaign.audience }],
    ['POST /v1/campaigns', someCampaign],
    ['POST /v1/campaigns', { ...someCampaign, countries: ['SG'] }],
    ['POST /v1/campaigns', { ...someCampaign, chain: someCampaign.chain.slice(0, 1) }],
  ];

  it.each(inBodies)('may not refer to objects of another team in a body: %s %j', async (route, body) => {
    expect(codeOf(await ask('ours', route, body))).toBe('403 out-of-scope');
    expect(codeOf(await ask('whole', route, body))).not.toMatch(/^4/);
  });

  it.each([
    ['send-message', 'SG'],
    ['award-reward', 'ID'],
  ])("may not preview a message with another team's action type: %s in %s", async (name, country) => {
    const preview = (by: keyof typeof secrets) =>
      ask(by, `POST /v1/action-types/${name}/preview`, { user: 'u1', country });
    expect(codeOf(await preview('ours'))).toBe('403 out-of-scope');
    expect(codeOf(await preview('whole'))).toBe('409 no-preview');
  });

  it('gets a refusal only for the jobs of another team in a request for many jobs', async () => {
    const jobs = [
      { client: 'theirs', url: hook },
      { client: 'ours', url: hook },
    ];
    const answered = (await ask('ours', 'POST /v1/jobs/bulk', { jobs })).json<{ results: unknown[] }>();
    expect(answered.results).toMatchObject([
      { status: 'refused', errors: [{ pointer: '/jobs/0', code: 'out-of-scope' }] },
      { status: 'accepted' },
    ]);
  });

  it('replays no dead jobs of another team, even if the request has no client', async () => {
    await addDeadJob(theirs.client);
    expect((await ask('ours', 'POST /v1/quarantine/jobs/replay', { all: true })).json()).toEqual({
      items: 0,
      expired: 0,
    });
    expect((await ask('whole', 'POST /v1/quarantine/jobs/replay', { all: true })).json()).toEqual({
      items: 1,
      expired: 0,
    });
  });

  it.each([
    ['POST /v1/jobs/cancel', {}],
    ['POST /v1/jobs/reschedule', { delaySeconds: 60 }],
    ['POST /v1/jobs/resend', {}],
    ['POST /v1/jobs/find', {}],
  ])('can neither read nor change a job of another team by its id: %s', async (route, more) => {
    const ended = idOf(await ask('whole', 'POST /v1/jobs', { client: 'theirs', url: hook }));
    await ask('whole', `POST /v1/jobs/${ended}/cancel`);
    const ids = [theirs.job, ended];
    const findJobs = async () => (await ask('whole', 'POST /v1/jobs/find', { client: 'theirs', ids })).json<unknown>();
    const before = await findJobs();
    const answered = (await ask('ours', route, { client: 'ours', ids, ...more })).json<object>();
    const nothing = route.endsWith('find') ? { job: null } : { result: 'not-found' };
    expect(answered).toMatchObject({ results: ids.map((id) => ({ id, ...nothing })) });
    expect(await findJobs()).toEqual(before);
  });

  it('may not move its schedule to another team', async () => {
    const mine = { name: 'n', cron: '0 3 * * *', zone: 'UTC', target: { client: 'ours', url: hook } };
    const id = idOf(await ask('ours', 'POST /v1/schedules', mine));
    const moved = await ask('ours', `PATCH /v1/schedules/${id}`, { target: { client: 'theirs', url: hook } });
    expect(codeOf(moved)).toBe('403 out-of-scope');
  });

  it('may not extend its campaign to countries and actions of another team', async () => {
    const own = { ...someCampaign, countries: ['SG'], chain: someCampaign.chain.slice(0, 1) };
    const id = idOf(await ask('ours', 'POST /v1/campaigns', own));
    for (const more of [{ countries: ['SG', 'ID'] }, { chain: someCampaign.chain }]) {
      expect(codeOf(await ask('ours', `PATCH /v1/campaigns/${id}`, more))).toBe('403 out-of-scope');
    }
    expect((await ask('ours', `PATCH /v1/campaigns/${id}`, { name: 'another name' })).statusCode).toBe(200);
    expect((await ask('ours', `POST /v1/campaigns/${id}/start`)).statusCode).toBe(200);
  });

  it('may not upload users for countries of another team', async () => {
    const upload = (query: string, payload: string) => {
      const headers = { authorization: `Bearer ${secrets.ours}`, 'content-type': 'text/csv' };
      return on.api.server.inject({ method: 'POST', url: `/v1/audiences/upload?name=l${query}`, headers, payload });
    };
    expect(codeOf(await upload('&country=ID', 'u1\n'))).toBe('403 out-of-scope');
    const mixed = await upload('&acceptRejected=1', 'userId,country\nu1,SG\nu2,ID\n');
    expect(mixed.json()).toMatchObject({ countries: [{ country: 'SG', users: 1 }], rejected: 1 });
  });

  it('may do with the objects of its own team what its role permits', async () => {
    const job = idOf(await ask('ours', 'POST /v1/jobs', { client: 'ours', url: hook, delaySeconds: 60 }));
    expect((await ask('ours', `GET /v1/jobs/${job}`)).statusCode).toBe(200);
    const listed = (await ask('ours', 'GET /v1/jobs')).json<{ items: { id: string }[] }>();
    expect(listed.items.map(({ id }) => id)).toContain(job);
    expect((await ask('ours', `GET /v1/clients/${ourClient}/ledger`)).statusCode).toBe(200);
    expect((await ask('ours', `GET /v1/clients/ours/forecast`)).statusCode).toBe(200);
    expect((await ask('ours', `POST /v1/jobs/${job}/cancel`)).json()).toMatchObject({ result: 'cancelled' });
  });

  it('gets only the changes of its own team from the audit log', async () => {
    await ask('ours', 'POST /v1/schedules', { name: 'n', everySeconds: 60, target: { client: 'ours', url: hook } });
    const entries = async (by: keyof typeof secrets) =>
      (await ask(by, 'GET /v1/audit')).json<{ items: { keyName: string }[] }>().items.map(({ keyName }) => keyName);
    expect([...new Set(await entries('ours'))]).toEqual(['ours']);
    expect(await entries('whole')).toContain('whole');
    expect(codeOf(await ask('ours', `GET /v1/audit?keyId=${theirs.key}`))).toBe('403 out-of-scope');
  });
});

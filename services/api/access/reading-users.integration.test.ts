import { beforeAll, describe, expect, it } from 'vitest';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres({ begun: 'once' });

const sg: Scope = { clients: [], countries: ['SG'], actionTypes: null };
const scopes = {
  /** Scope with one of the two countries of the campaign. */
  part: sg,
  /** The same scope, with the right to read users. */
  reader: { ...sg, users: true },
  owner: { ...sg, countries: ['SG', 'VN'] },
  other: { ...sg, countries: ['ID'], users: true },
  callbacks: { clients: [], countries: [], actionTypes: [], users: true },
} as const satisfies Record<string, Scope>;

type Name = keyof typeof scopes;

let run: string;
let step: string;

beforeAll(async () => {
  for (const [name, scope] of Object.entries(scopes))
    await on.deps.apiKeys.add({ name, role: 'viewer', scope, digest: digestOfApiKey(`muster_a-key-${name}`) });
  const { campaignId } = await on.deps.campaigns.create(campaignDefinitionOf({ countries: ['SG', 'VN'] }));
  const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' });
  const feedId = await on.deps.rows.addFeed(runId, { country: 'SG' });
  await on.deps.rows.addFailure(feedId, { user: 'u-1' });
  await on.deps.rows.addFailure(feedId, { user: 'u-2', batchNo: 2, step: 1, outcome: 'unknown' });
  run = publicId('run', runId);
  const { rows } = await on.pool.query<{ id: string }>(
    'insert into quarantined_steps (feed, batch_no, step, users, lapses) values ($1, 2, 1, 1, 6) returning id',
    [feedId],
  );
  step = publicId('quarantinedStep', rows[0]?.id ?? '');
});

const ask = (name: Name, url: string) =>
  on.api.server.inject({ method: 'GET', url, headers: { authorization: `Bearer muster_a-key-${name}` } });

async function verdict(name: Name, url: string): Promise<string> {
  const answer = await ask(name, url);
  return answer.statusCode === 200 ? '200' : problem.parse(answer.json()).code;
}

describe('users of a run', () => {
  const lists = ['failures', 'users', 'users/u-1', 'held-out', 'receipts'];

  it.each(lists)(
    'are returned to keys whose scope covers the whole campaign, and to keys that may read users: %s',
    async (list) => {
      const verdicts = Object.keys(scopes).map(async (name) => {
        const key = Object.keys(scopes).find((each): each is Name => each === name) ?? expect.fail(name);
        return [name, await verdict(key, `/v1/runs/${run}/${list}`)];
      });
      expect(Object.fromEntries(await Promise.all(verdicts))).toEqual({
        part: 'out-of-scope',
        reader: '200',
        owner: '200',
        other: 'run-not-found',
        callbacks: 'run-not-found',
      });
    },
  );

  it('are omitted from the samples of a report for all other keys', async () => {
    const sampleFor = async (name: Name) => {
      const answer = await ask(name, `/v1/runs/${run}/report`);
      return answer.body.includes('"sample":["u-1"]');
    };
    expect((await ask('part', `/v1/runs/${run}/report`)).statusCode).toBe(200);
    expect([await sampleFor('part'), await sampleFor('reader'), await sampleFor('owner')]).toEqual([false, true, true]);
  });
});

describe('users of a quarantined step', () => {
  it('are returned to keys that cover the whole campaign or may read users, and are omitted for all others', async () => {
    const sampleFor = async (name: Name) => {
      const answer = await ask(name, `/v1/quarantine/steps/${step}`);
      expect(answer.statusCode).toBe(200);
      return answer.json<{ sample: string[] }>().sample;
    };
    expect([await sampleFor('part'), await sampleFor('reader'), await sampleFor('owner')]).toEqual([
      [],
      ['u-2'],
      ['u-2'],
    ]);
  });
});

describe('suppressed users', () => {
  it.each(['/v1/suppressions/users/u-1', '/v1/suppressions/uploads'])(
    'are returned only to keys that may read users, because they belong to all campaigns: %s',
    async (url) => {
      expect(await verdict('owner', url)).toBe('out-of-scope');
      expect(await verdict('reader', url)).toBe('200');
    },
  );
});

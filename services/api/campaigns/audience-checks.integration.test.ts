import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { campaignEstimate } from '../../../shared/contracts/campaigns/estimates.ts';
import { warning } from '../../../shared/contracts/warnings.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { SegmentationFailure } from '../../../shared/ports/segmentation.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { reportShards } from '../../../test/support/report-shards.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { createApi, type Api } from '../api.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const answered = z.object({ id: z.string(), warnings: z.array(warning) });

let api: Api;
/** Number of users or failure that the segmentation service reports, by `segment/country`. */
let segments: Record<string, number | null | SegmentationFailure>;

beforeEach(async () => {
  segments = {};
  const { chain, countries } = someCampaign;
  await reportShards(on.pool, 'a', { actions: chain.map(({ action }) => action), countries });
  const segmentation: typeof on.deps.segmentation = {
    ...on.deps.segmentation,
    describe: (id, country) => {
      const known = segments[`${id}/${country}`] ?? 1000;
      if (typeof known === 'object') return Promise.resolve({ ok: false, failure: known });
      const estimate = known < 0 ? null : known;
      return Promise.resolve({ ok: true, value: { id, country, estimate, snapshot: 's1' } });
    },
  };
  api = await createApi({ ...on.deps, segmentation });
});

const failing = (kind: SegmentationFailure['kind']): SegmentationFailure => {
  return { kind, cause: 'HTTP 503', retryAfterMs: null };
};

function post(url: string, payload: object = {}) {
  return api.server.inject({ method: 'POST', url, headers: authorized, payload });
}

const withAudience = (audience: object) => ({ ...someCampaign, audience });

async function addList(users: string[]): Promise<string> {
  const audienceId = '01890a5d-ac96-774b-bcce-b302099a8057';
  const begun = await on.deps.audiences.begin({ audienceId, name: 'VIP', country: 'SG' });
  if (begun.kind !== 'begun') throw new Error('the list was not begun');
  await begun.upload.add({ users, countries: users.map(() => 'SG'), lines: users.map((_, index) => index + 1) });
  await begun.upload.finish({ rows: users.length, rejected: 0, rejects: [] });
  return publicId('audience', audienceId);
}

async function addRun(state: 'running' | 'completed', failuresKept = true): Promise<string> {
  const { campaignId, revision } = await on.deps.campaigns.create(campaignDefinitionOf());
  const at = on.deps.clock.now();
  const runId = await on.deps.rows.addRun({ campaignId, revision, scheduledFor: at, state });
  await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 500, heldOutUsers: 20 });
  await on.pool.query('update runs set failures_kept = $2 where id = $1', [runId, failuresKept]);
  return publicId('run', runId);
}

describe('a created campaign', () => {
  it('has no warnings if all sources of its audience exist', async () => {
    const audience = {
      include: [{ segment: 'riders' }, { list: await addList(['a']) }],
      exclude: [{ runId: await addRun('completed'), outcomes: ['succeeded'], step: 2 }],
      holdOutPercent: 2.5,
      holdOutSeed: 'december',
    };
    const response = await post('/v1/campaigns', withAudience(audience));
    expect(response.statusCode).toBe(201);
    expect(answered.parse(response.json()).warnings).toEqual([]);
    expect(response.json()).toMatchObject({ audience });
  });

  it.each([
    [
      'a segment that is unknown in a country',
      { include: [{ segment: 'a' }, { segment: 'lost' }] },
      '/audience/include/1/segment',
      'unknown-segment',
      'there is no segment "lost" in ID',
    ],
    [
      'a list that there is not',
      { include: [{ list: 'aud_01h455vb4pex5vsknk084sn02q' }] },
      '/audience/include/0/list',
      'unknown-list',
      'there is no list',
    ],
    [
      'an id that is none',
      { include: [{ list: 'riders.csv' }] },
      '/audience/include/0/list',
      'unknown-list',
      '"riders.csv"',
    ],
    [
      'a run that there is not',
      { include: [{ segment: 'a' }], exclude: [{ runId: 'run_01h455vb4pex5vsknk084sn02q' }] },
      '/audience/exclude/0/runId',
      'unknown-run',
      'there is no run',
    ],
  ])('is refused for %s, and the problem contains its name', async (_what, audience, pointer, code, detail) => {
    segments = { 'lost/ID': failing('not-found') };
    const response = await post('/v1/campaigns', withAudience(audience));
    expect(response.statusCode).toBe(422);
    const { errors } = problem.parse(response.json());
    expect(errors).toMatchObject([{ pointer, code }]);
    expect(errors[0]?.detail).toContain(detail);
    expect((await on.deps.campaignLists.page({}, undefined, 'newest', 10, null)).items).toEqual([]);
  });

  it('is refused for a step that the earlier run does not have, and for outcomes that runs do not store', async () => {
    const exclude = [
      { runId: await addRun('completed'), step: 3 },
      { runId: await addRun('completed', false), outcomes: ['failed'] },
    ];
    const response = await post('/v1/campaigns', withAudience({ include: [{ segment: 'a' }], exclude }));
    expect(problem.parse(response.json()).errors).toMatchObject([
      { pointer: '/audience/exclude/0/step', code: 'unknown-step' },
      { pointer: '/audience/exclude/1/outcomes', code: 'users-not-kept' },
    ]);
  });

  it('is refused for users of an earlier run that were deleted after their retention', async () => {
    const runId = await addRun('completed');
    await on.pool.query('update feeds set next_batch_no = 6');
    const response = await post('/v1/campaigns', withAudience({ include: [{ runId }] }));
    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([
      { pointer: '/audience/include/0/runId', code: 'users-not-kept' },
    ]);
  });

  it('is created with a warning while the segmentation service is unavailable', async () => {
    segments = { 'a/SG': failing('unavailable'), 'a/ID': failing('refused') };
    const response = await post('/v1/campaigns', withAudience({ include: [{ segment: 'a' }] }));
    expect(response.statusCode).toBe(201);
    const { warnings } = answered.parse(response.json());
    expect(warnings).toMatchObject([{ pointer: '/audience/include/0', code: 'unverified-segment' }]);
    expect(warnings[0]?.detail).toContain('in SG, ID: segment "a" could not be checked (HTTP 503)');
  });

  it('waits at most a few seconds for a segmentation service that hangs', async () => {
    const hanging: typeof on.deps.segmentation = {
      ...on.deps.segmentation,
      describe: (_segment, _country, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ ok: false, failure: failing('unavailable') }));
        }),
    };
    api = await createApi({ ...on.deps, segmentation: hanging });
    const responding = post('/v1/campaigns', withAudience({ include: [{ segment: 'a' }] }));
    await expect.poll(() => on.deps.clock.nextWakeMs() !== undefined, { interval: 1 }).toBe(true);
    await on.passTime(5000);
    const response = await responding;
    expect(response.statusCode).toBe(201);
    expect(answered.parse(response.json()).warnings).toMatchObject([{ code: 'unverified-segment' }]);
  });

  it('has a warning for a country without users', async () => {
    segments = { 'a/VN': 0 };
    const { warnings } = answered.parse(
      (await post('/v1/campaigns', withAudience({ include: [{ segment: 'a' }] }))).json(),
    );
    expect(warnings).toEqual([
      { pointer: '/countries/2', code: 'empty-audience', detail: 'the audience has no users in VN' },
    ]);
  });

  it('has a warning if the lower bound of its users is low, and its estimate has both bounds', async () => {
    for (const country of someCampaign.countries)
      Object.assign(segments, { [`a/${country}`]: 1000, [`b/${country}`]: 999 });
    const audience = { include: [{ segment: 'a' }], exclude: [{ segment: 'b' }] };
    const { id, warnings } = answered.parse((await post('/v1/campaigns', withAudience(audience))).json());
    expect(warnings).toMatchObject([{ pointer: '/audience', code: 'may-be-few' }]);
    expect(warnings[0]?.detail).toContain('3 to 3,000 users');
    const estimate = campaignEstimate.parse((await post(`/v1/campaigns/${id}/estimate`)).json());
    expect(estimate).toMatchObject({ users: { atLeast: 3, atMost: 3000 }, warnings: [{ code: 'may-be-few' }] });
  });

  it('has a warning if it waits for the end of an earlier run', async () => {
    const runId = await addRun('running');
    const audience = { include: [{ segment: 'a' }], exclude: [{ runId }] };
    const { warnings } = answered.parse((await post('/v1/campaigns', withAudience(audience))).json());
    expect(warnings).toMatchObject([
      { pointer: '/audience/exclude/0', code: 'run-not-ended' },
      { pointer: '/audience', code: 'may-be-few' },
    ]);
  });
});

describe('an exact count of an audience', () => {
  const audience = { include: [{ segment: 'a' }, { segment: 'b' }], exclude: [{ segment: 'c' }] };
  const { countries } = someCampaign;
  const counted = { SG: 1700, ID: 1500, VN: 40 };

  /** Requests the count as the console does, and stores its result as the trigger service does. */
  async function countIt(): Promise<string> {
    const answer = await post('/v1/audiences/exact-counts', { countries, audience });
    const { id } = z.object({ id: z.string() }).parse(answer.json());
    const lines = Object.entries(counted).map(([country, users]) => ({ country, users, done: true }));
    const ended = `update audience_counts set state = 'done', countries = $1, started_at = now(), ended_at = now() returning started_at`;
    const { rows } = await on.pool.query<{ started_at: Date }>(ended, [JSON.stringify(lines)]);
    expect(id).toMatch(/^cnt_/);
    return rows[0]?.started_at.toISOString() ?? '';
  }

  it('replaces the estimated size in the preview, in the estimate and in the approval of a campaign', async () => {
    await on.ask('PUT', '/v1/approval-policy', { rules: [{ usersAbove: 100, approvers: 1 }] });
    await on.pool.query(`update api_keys set owner = 'mei'`);
    const { id } = answered.parse((await post('/v1/campaigns', withAudience(audience))).json());
    const estimateOf = async () => campaignEstimate.parse((await post(`/v1/campaigns/${id}/estimate`)).json());
    expect((await estimateOf()).users).toEqual({ atLeast: 0, atMost: 6000 });
    const countedAt = await countIt();
    expect((await estimateOf()).users).toEqual({ atLeast: 3240, atMost: 3240, countedAt });
    const preview: unknown = (await post('/v1/campaigns/preview', withAudience(audience))).json();
    expect(preview).toMatchObject({ users: { atLeast: 3240, atMost: 3240, countedAt }, warnings: [] });
    const approval: unknown = (await post(`/v1/campaigns/${id}/submit`)).json();
    expect(approval).toMatchObject({
      usersExpected: { SG: { atLeast: 1700, atMost: 1700, countedAt }, VN: { atMost: 40 } },
      usersAtMost: { SG: 1785, ID: 1575, VN: 42 },
    });
  });

  it('does not replace the estimate after a segment has changed its snapshot', async () => {
    await countIt();
    const segmentation: typeof on.deps.segmentation = {
      ...on.deps.segmentation,
      describe: (name, country) =>
        Promise.resolve({ ok: true, value: { id: name, country, estimate: 1000, snapshot: 's2' } }),
    };
    api = await createApi({ ...on.deps, segmentation });
    const preview: unknown = (await post('/v1/campaigns/preview', withAudience(audience))).json();
    expect(preview).toMatchObject({ users: { atLeast: 0, atMost: 6000 } });
  });
});

describe('the start of a campaign', () => {
  it('checks the sources again and is refused if one is missing', async () => {
    const { id } = answered.parse((await post('/v1/campaigns', someCampaign)).json());
    segments = { 'lapsed-riders/VN': failing('not-found') };
    const response = await post(`/v1/campaigns/${id}/start`);
    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([
      { pointer: '/audience/include/0/segment', code: 'unknown-segment' },
    ]);
    segments = {};
    const started = await post(`/v1/campaigns/${id}/start`);
    expect(started.json()).toMatchObject({ state: 'scheduled', warnings: [] });
  });

  it('has a warning while the segmentation service is unavailable, and a repeated start sends no request', async () => {
    const { id } = answered.parse((await post('/v1/campaigns', someCampaign)).json());
    segments = { 'lapsed-riders/VN': failing('unavailable') };
    expect((await post(`/v1/campaigns/${id}/start`)).json()).toMatchObject({
      state: 'scheduled',
      warnings: [{ code: 'unverified-segment' }],
    });
    segments = { 'lapsed-riders/VN': failing('not-found') };
    expect((await post(`/v1/campaigns/${id}/start`)).statusCode).toBe(200);
  });
});

describe('an estimate', () => {
  it('has the size of each source, and the lower and upper bound', async () => {
    segments = { 'a/SG': 400, 'b/SG': 900, 'staff/SG': 50, 'a/ID': -1 };
    const list = await addList(['x', 'y']);
    const audience = {
      include: [{ segment: 'a' }, { segment: 'b' }, { list }],
      exclude: [{ segment: 'staff' }],
      holdOutPercent: 10,
    };
    const { id } = answered.parse(
      (await post('/v1/campaigns', { ...withAudience(audience), countries: ['SG', 'ID'] })).json(),
    );
    const response = await post(`/v1/campaigns/${id}/estimate`);
    expect(response.statusCode).toBe(200);
    const { countries, holdOutPercent } = campaignEstimate.parse(response.json());
    expect(countries[0]).toEqual({
      country: 'SG',
      include: [
        { source: { segment: 'a' }, users: 400 },
        { source: { segment: 'b' }, users: 900 },
        { source: { list }, users: 2 },
      ],
      exclude: [{ source: { segment: 'staff' }, users: 50 }],
      users: { atLeast: 850, atMost: 1302 },
    });
    expect(countries[1]?.users).toEqual({ atLeast: 0, atMost: null });
    expect(holdOutPercent).toBe(10);
  });

  it('counts the users of an earlier run except the held-out users', async () => {
    const { id } = answered.parse(
      (await post('/v1/campaigns', withAudience({ include: [{ runId: await addRun('completed') }] }))).json(),
    );
    const { countries } = campaignEstimate.parse((await post(`/v1/campaigns/${id}/estimate`)).json());
    expect(countries.map(({ users }) => users)).toEqual(
      [480, 0, 0].map((users) => ({ atLeast: users, atMost: users, countedAt: on.deps.clock.now().toISOString() })),
    );
  });
});

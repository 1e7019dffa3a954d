import { beforeEach, describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';
import { userFailureShape } from '../../../../shared/contracts/runs/runs.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { failureCode } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import type { RunReports } from '../run-reports.port.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createApi, type Api } from '../../api.ts';

const on = apiOnPostgres();

const oddIds = [
  'a,b',
  'say "hi"',
  '🎉 party',
  '=HYPERLINK("http://x")',
  '+1',
  '-1',
  '@sum',
  ' space ',
  "o'hara",
  '%20',
  'c\\d',
];
const failurePage = pageShape(userFailureShape);

let api: Api;
let runId: string;
let feedId: string;

beforeEach(async () => {
  api = on.api;
  const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
  runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' });
  feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 100 });
});

function get(query = '', accept = 'application/json') {
  return api.server.inject({
    method: 'GET',
    url: `/v1/runs/${publicId('run', runId)}/failures${query}`,
    headers: { ...authorized, accept },
  });
}

function fail(user: string, facts: Partial<Parameters<typeof on.deps.rows.addFailure>[1]> = {}) {
  return on.deps.rows.addFailure(feedId, { user, ...facts });
}

/** Stores this number of failed users with one statement. */
async function failAll(users: number): Promise<void> {
  await on.pool.query(
    `insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
     select $1, number, 1, 'u' || number, $3, 'blocked', null, 1 from generate_series(1, $2::int) as number`,
    [feedId, users, failureCode.failed],
  );
}

async function usersOf(query: string) {
  return failurePage.parse((await get(query)).json()).items.map(({ userId }) => userId);
}

describe('the failures of a run', () => {
  it('are listed user by user', async () => {
    await fail('u1', {
      step: 1,
      reason: 'out-of-stock',
      detail: 'none left',
      attempts: 2,
      batchNo: 7,
      outcome: 'failed',
    });

    expect(failurePage.parse((await get()).json())).toEqual({
      items: [
        {
          userId: 'u1',
          step: 1,
          country: 'SG',
          variant: null,
          outcome: 'failed',
          reason: 'out-of-stock',
          detail: 'none left',
          attempts: 2,
          batchNo: 7,
          failedAt: '2026-01-01T00:00:00.000Z',
        },
      ],
      next: null,
    });
  });

  it('are filtered by step, country and reason', async () => {
    const inVietnam = await on.deps.rows.addFeed(runId, { country: 'VN', fedUsers: 1 });
    await fail('u1', { step: 1, reason: 'out-of-stock' });
    await fail('u2', { step: 2, reason: 'out-of-stock' });
    await fail('u3', { step: 1, reason: 'blocked' });
    await on.deps.rows.addFailure(inVietnam, { user: 'u4', step: 1, reason: 'out-of-stock' });

    expect(await usersOf('?step=1&country=SG&reason=out-of-stock')).toEqual(['u1']);
    expect(await usersOf('?country=VN')).toEqual(['u4']);
    expect(await usersOf('?country=ID')).toEqual([]);
  });

  it('are searched by the beginning of the user id, without wildcards', async () => {
    for (const user of ['sg-1', 'sg-2', 'vn-1', '%20', 's%']) await fail(user);

    expect(await usersOf('?q=sg-')).toEqual(['sg-1', 'sg-2']);
    expect(await usersOf('?q=%25')).toEqual(['%20']);
    expect(await usersOf('?q=s%25')).toEqual(['s%']);
  });

  it('are listed in pages', async () => {
    for (const user of ['u1', 'u2', 'u3']) await fail(user);

    const first = failurePage.parse((await get('?limit=2')).json());
    const second = failurePage.parse((await get(`?limit=2&cursor=${first.next ?? ''}`)).json());

    expect([...first.items, ...second.items].map(({ userId }) => userId)).toEqual(['u1', 'u2', 'u3']);
    expect(second.next).toBeNull();
  });

  it.each([
    ['?step=0', '/step'],
    ['?step=first', '/step'],
    ['?country=sg', '/country'],
    ['?country=SG&country=ID', '/country'],
    ['?reason=', '/reason'],
    ['?reason=%00', '/reason'],
    ['?q=%00', '/q'],
    ['?cursor=nowhere', '/cursor'],
    ['?user=u1', '/user'],
  ])('are refused for %s', async (query, pointer) => {
    const response = await get(query);

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([{ pointer }]);
  });
});

describe('the failures of a run as a stream', () => {
  it('are CSV with a header, and raw=true leaves unusual ids unchanged except for quotes', async () => {
    for (const user of oddIds) await fail(user, { detail: null, reason: 'blocked' });

    const response = await get('?raw=true', 'text/csv');

    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [header, ...rows] = parseCsv(response.body);
    expect(header).toEqual(Object.keys(userFailureShape.shape));
    expect(rows.map(([userId]) => userId).sort()).toEqual([...oddIds].sort());
    expect(rows.every(([, , , , , reason, detail]) => reason === 'blocked' && detail === '')).toBe(true);
  });

  it('contain no formulas for spreadsheets', async () => {
    await fail('=HYPERLINK("http://x")', { detail: '@SUM(A1)', reason: 'blocked' });
    await fail('+1');
    await fail('\t=1');
    await fail('sg-1');

    const [, ...rows] = parseCsv((await get('', 'text/csv')).body);

    expect(rows.map(([userId]) => userId).sort()).toEqual(["'\t=1", "'+1", `'=HYPERLINK("http://x")`, 'sg-1']);
    expect(rows.map(([, , , , , , detail]) => detail)).toContain("'@SUM(A1)");
  });

  it('begin with a byte order mark only if the request asks for the form for Excel', async () => {
    await fail('é');

    expect((await get('?for=excel', 'text/csv')).rawPayload.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect((await get('', 'text/csv')).body.startsWith('userId,')).toBe(true);
  });

  it('have an entry with their filter in the audit log before they are sent, unlike a page of failures', async () => {
    await fail('u1');

    await get('?step=1', 'text/csv');
    await get('', 'application/x-ndjson');
    await get();

    const exported = { method: 'GET', route: '/v1/runs/:id/failures', subject: publicId('run', runId), status: 200 };
    expect(await on.rowsOf('audit_log')).toMatchObject([
      { ...exported, detail: { step: 1 } },
      { ...exported, detail: {} },
    ]);
  });

  it('are not read for HEAD', async () => {
    const response = await api.server.inject({
      method: 'HEAD',
      url: `/v1/runs/${publicId('run', runId)}/failures`,
      headers: { ...authorized, accept: 'text/csv' },
    });

    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toContain('text/csv');
  });

  it('have the header even without failed users', async () => {
    expect((await get('', 'text/csv')).body).toBe(`${Object.keys(userFailureShape.shape).join(',')}\r\n`);
  });

  it('are JSON lines if the request prefers them', async () => {
    for (const user of oddIds) await fail(user);

    const response = await get('', 'application/x-ndjson');

    const rows = response.body
      .trimEnd()
      .split('\n')
      .map((line) => userFailureShape.parse(JSON.parse(line)));
    expect(rows.map(({ userId }) => userId).sort()).toEqual([...oddIds].sort());
  });

  it('contain all pages', async () => {
    await failAll(2500);

    const lines = (await get('', 'text/csv')).body.trimEnd().split('\r\n');

    expect(lines).toHaveLength(2501);
    expect(new Set(lines).size).toBe(2501);
  });

  it.each(['application/json', 'application/x-ndjson'])('are refused with options of CSV for %s', async (accept) => {
    const response = await get('?raw=true&for=excel', accept);

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([
      { pointer: '/raw', code: 'only-with-csv' },
      { pointer: '/for', code: 'only-with-csv' },
    ]);
  });

  it('are refused with the parameters of a page', async () => {
    const response = await get('?limit=10&cursor=x', 'text/csv');

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors.map(({ pointer }) => pointer)).toEqual(['/limit', '/cursor']);
  });

  it.each([
    ['csv', 'text/csv; charset=utf-8; header=present'],
    ['ndjson', 'application/x-ndjson'],
  ])('are a file of %s if the link has the parameter `format`', async (format, type) => {
    await fail('u1');
    const response = await get(`?format=${format}&reason=out-of-stock`, 'text/html,*/*;q=0.8');
    expect(response.headers['content-type']).toBe(type);
    expect(response.headers['content-disposition']).toMatch(
      new RegExp(`^attachment; filename="run_.*-failures\\.${format}"$`),
    );
  });

  it.each(['text/csv', 'application/x-ndjson'])(
    'end with an error as %s, so that they do not look complete, if the store fails during the stream',
    async (accept) => {
      await failAll(5001);
      // More pages than are read ahead before the entry in the audit log is written.
      let pages = 3;
      const failing: RunReports = {
        ...on.deps.reports,
        failures: (id, filter, limit, cursor) =>
          pages-- > 0
            ? on.deps.reports.failures(id, filter, limit, cursor)
            : Promise.reject(new Error('connection lost')),
      };
      api = await createApi({ ...on.deps, heavyRuns: { ...on.deps.heavyRuns, reports: failing } });

      await expect(get('', accept)).rejects.toThrow();
    },
  );
});

/**
 * Parses CSV according to RFC 4180. The test has its own parser, because a tolerant parser would accept faulty output.
 */
function parseCsv(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  const rows: string[][] = [[]];
  let end = 0;
  for (const [match, quoted, plain = '', border] of text.matchAll(cell)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (border === '\r\n') rows.push([]);
    end += match.length;
  }
  expect(end).toBe(text.length);
  return rows.slice(0, -1);
}

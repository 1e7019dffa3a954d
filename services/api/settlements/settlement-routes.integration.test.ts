import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { runReport } from '../../../shared/contracts/runs/runs.ts';
import { settlement } from '../../../shared/contracts/runs/settlements.ts';
import { userFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { failureCode } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import { claimOne, doneOf, record, startFedRun } from '../../../test/support/conformance/execution-subject.ts';
import { problem } from '../frame/problems.contract.ts';
import { judgedLines } from './settle-file.ts';

const on = apiOnPostgres();

let runId: string;
let url: string;
let stores: ReturnType<typeof createPostgresExecutionStores>;

/** Creates a run of one step in which the outcomes of u2, u3 and `odd, "id"` are unknown. */
beforeEach(async () => {
  stores = createPostgresExecutionStores(on);
  const chain = [{ action: 'award-reward', params: {} }];
  const users = ['odd, "id"', 'u1', 'u2', 'u3'];
  const fed = await startFedRun(stores, [users], { chain });
  runId = fed.runId;
  url = `/v1/runs/${publicId('run', runId)}`;
  const ledger = stores.ledgerOf('a');
  const lost = { outcome: 'unknown', reason: 'muster.ambiguous-answer', detail: null } as const;
  const failures = ['odd, "id"', 'u2', 'u3'].map((user) => ({ user, ...lost }));
  await record(ledger, doneOf(await claimOne(ledger, { feedId: fed.feedId, batchNo: 1, step: 1 }), { failures }));
});

const end = () => stores.runs.finish(runId, 'completed_with_failures', null);

function settle(payload: object | string, type = 'application/json', more: Record<string, string> = {}, query = '') {
  const headers = { ...authorized, 'content-type': type, ...more };
  return on.api.server.inject({ method: 'POST', url: `${url}/settle${query}`, headers, payload });
}

async function unknownUsers() {
  const failures = await on.rowsOf('user_failures');
  return failures.filter(({ outcome }) => outcome === failureCode.unknown).map((row) => row['user_id']);
}
const byHand = { by: 'hand', userId: 'u2', step: 1, outcome: 'succeeded' } as const;

describe('a settlement by hand', () => {
  it('settles one user and records the caller', async () => {
    await end();
    const response = await settle(byHand);
    expect(response.statusCode).toBe(200);
    expect(settlement.parse(response.json())).toMatchObject({
      by: 'hand',
      state: 'done',
      settled: { succeeded: 1, failed: 0 },
      requestedBy: { name: 'a test' },
    });
    expect(await unknownUsers()).toEqual(['odd, "id"', 'u3']);
  });

  it('changes nothing when repeated, and is refused for another outcome', async () => {
    await end();
    await settle(byHand);
    expect((await settle(byHand)).statusCode).toBe(200);
    const refused = await settle({ ...byHand, outcome: 'failed', code: 'late' });
    expect([refused.statusCode, problem.parse(refused.json()).code]).toEqual([409, 'settled-otherwise']);
    expect(await on.rowsOf('settlements')).toHaveLength(1);
  });

  it('is refused while the run is active, and for users whose outcome is not unknown', async () => {
    const early = await settle(byHand);
    expect([early.statusCode, problem.parse(early.json()).code]).toEqual([409, 'run-not-ended']);
    await end();
    const notUnknown = await settle({ ...byHand, userId: 'u1' });
    expect([notUnknown.statusCode, problem.parse(notUnknown.json()).code]).toEqual([409, 'not-unknown']);
  });

  it('is refused for unknown fields, with a pointer', async () => {
    await end();
    const response = await settle({ ...byHand, reason: 'x' });
    expect([response.statusCode, problem.parse(response.json()).errors[0]?.pointer]).toEqual([422, '/reason']);
  });
});

describe('a settlement by file', () => {
  it.each<[string, string, string]>([
    ['CSV', 'text/csv', 'userId,step,outcome,code\r\n"odd, ""id""",1,succeeded\r\nu2,1,failed,out-of-stock\r\n'],
    [
      'NDJSON',
      'application/x-ndjson',
      '{"userId":"odd, \\"id\\"","step":1,"outcome":"succeeded"}\n{"userId":"u2","step":1,"outcome":"failed","code":"out-of-stock"}',
    ],
  ])('reads %s', async (_name, type, text) => {
    await end();
    const response = await settle(text, type);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ by: 'file', settled: { succeeded: 1, failed: 1 }, rejected: 0 });
    expect(await unknownUsers()).toEqual(['u3']);
    const failures = await on.rowsOf('user_failures');
    expect(failures.find((row) => row['user_id'] === 'u2')).toMatchObject({
      outcome: failureCode.failed,
      reason: 'out-of-stock',
    });
  });

  it.each([
    ['text/csv', '\ufeffuserId,step,outcome\nu2,1,succeeded', {}],
    ['text/csv', '\ufeffu2,1,succeeded', { 'content-encoding': 'GZIP' }],
    ['application/x-ndjson', '\ufeff{"userId":"u2","step":1,"outcome":"succeeded"}', {}],
  ])('reads a compressed file with a byte order mark: %s %j %j', async (type, text, headers) => {
    await end();
    const response = await settle(gzipSync(text), type, headers);
    expect(response.json()).toMatchObject({ state: 'done', settled: { succeeded: 1, failed: 0 }, rejected: 0 });
  });

  it('is refused if the file cannot be decompressed, and ends with the cause', async () => {
    await end();
    const response = await settle(gzipSync('u2,1,succeeded\n').subarray(0, 20), 'text/csv');
    expect([response.statusCode, problem.parse(response.json()).code]).toEqual([400, 'malformed-gzip']);
    const [row] = await on.rowsOf('settlement_requests');
    expect(row).toMatchObject({ state: 'failed', cause: expect.stringContaining('cannot be decompressed') as unknown });
  });

  it('lists the lines that settled no user, with their numbers and reasons', async () => {
    await end();
    const lines = [
      'u2,1,succeeded',
      'u1,1,succeeded',
      'u3,one,succeeded',
      'u3,1,done',
      '"u3,1,failed',
      'u2,1,failed',
      `${'x'.repeat(5000)},1,failed`,
      'u3,1,succeeded',
    ];
    const response = await settle(lines.join('\n'), 'text/csv', {}, '?acceptRejected=4');
    const { rejects, settled, rejected } = settlement.parse(response.json());
    expect([settled, rejected]).toEqual([{ succeeded: 2, failed: 0 }, 6]);
    expect(rejects.map(({ line, rule }) => `${line} ${rule}`)).toEqual([
      '2 not-unknown',
      '3 invalid-step',
      '4 invalid-outcome',
      '5 malformed',
      '6 settled-otherwise',
      '7 too-long',
    ]);
  });
});

describe('a settlement file with many lines that cannot be read', () => {
  const misread = ['u2,first,succeeded', 'u3,one,failed', 'u3,1,succeeded'].join('\n');

  it('settles no user unless the sender accepts the number of these lines', async () => {
    await end();
    const refused = await settle(misread, 'text/csv');
    expect([refused.statusCode, problem.parse(refused.json())]).toMatchObject([
      422,
      { code: 'too-many-rejected', errors: [{ pointer: '/acceptRejected' }] },
    ]);
    expect(problem.parse(refused.json()).detail).toMatch(/^2 of 3 rows are rejected.*line 2 .*No user was settled/s);
    expect(await unknownUsers()).toEqual(['odd, "id"', 'u2', 'u3']);
    const [row] = await on.rowsOf('settlement_requests');
    expect(row).toMatchObject({ state: 'failed', rejects: [{ line: 1 }, { line: 2 }] });

    const accepted = await settle(misread, 'text/csv', {}, '?acceptRejected=2');
    expect(settlement.parse(accepted.json())).toMatchObject({ settled: { succeeded: 1, failed: 0 }, rejected: 2 });
  });

  it('is refused if no line can be read, whatever number of lines the sender accepts', async () => {
    await end();
    const refused = await settle('u2,1,done\nu3,1,done', 'text/csv', {}, '?acceptRejected=2');
    expect(problem.parse(refused.json()).code).toBe('no-users');
  });

  it("skips users whose outcome is already known, without the sender's consent", async () => {
    await end();
    const response = await settle('u1,1,succeeded\nnobody,1,failed\nu2,1,succeeded', 'text/csv');
    expect(settlement.parse(response.json())).toMatchObject({ state: 'done', settled: { succeeded: 1 }, rejected: 2 });
  });

  it('stops if too many lines after the first check cannot be read, and the problem contains the number of settled lines', async () => {
    await end();
    const good = ['u2,1,succeeded', ...Array.from({ length: judgedLines - 1 }, (_, index) => `x${index},1,failed`)];
    const refused = await settle([...good, ...Array<string>(2000).fill('u3;1')].join('\n'), 'text/csv');
    expect(problem.parse(refused.json()).detail).toContain('The first 21000 lines were settled and stay settled');
    expect(await unknownUsers()).toEqual(['odd, "id"', 'u3']);
  });
});

describe('a preview of a settlement file', () => {
  async function previewed(payload: string, type = 'text/csv', query = '') {
    const headers = { ...authorized, 'content-type': type };
    const path = `/v1/user-files/preview?for=settlement${query}`;
    const response = await on.api.server.inject({ method: 'POST', url: path, headers, payload });
    return userFilePreview.parse(response.json());
  }

  it('lists columns, outcomes and the first rejected lines, and settles no user', async () => {
    await end();
    const file = 'Outcome;Customer ID;Step;Note\nsucceeded;u2;1;\nfailed;u3;1;late\nfailed;u1;2;\nlost;u4;1;\n';
    expect(await previewed(file)).toMatchObject({
      reading: { separator: ';', userColumn: 'Customer ID', countryColumn: null },
      columns: ['outcome', 'user', 'step', 'ignored'].map((use) => ({ use })),
      rows: 4,
      users: 3,
      rejected: 1,
      firstUsers: [{ line: 2, userId: 'u2', country: null }, { line: 3 }, { line: 4 }],
      outcomes: [
        { step: 1, outcome: 'succeeded', users: 1 },
        { step: 1, outcome: 'failed', users: 1 },
        { step: 2, outcome: 'failed', users: 1 },
      ],
      rejects: [{ line: 5, value: 'u4', rule: 'invalid-outcome' }],
      refusal: { code: 'too-many-rejected' },
    });
    expect((await previewed(file, 'text/csv', '&acceptRejected=1')).refusal).toBeNull();
    expect(await unknownUsers()).toEqual(['odd, "id"', 'u2', 'u3']);
    expect(await on.rowsOf('settlement_requests')).toEqual([]);
  });

  it('lists the columns to choose from if no column is known to contain user ids', async () => {
    const preview = await previewed('kunde,step,outcome\nu2,1,succeeded\n');
    expect(preview).toMatchObject({ reading: null, rows: 0, refusal: { code: 'no-user-column' } });
    expect(preview.columns.map(({ name }) => name)).toEqual(['kunde', 'step', 'outcome']);
    expect(await previewed('kunde,step,outcome\nu2,1,succeeded\n', 'text/csv', '&user=kunde')).toMatchObject({
      users: 1,
      refusal: null,
    });
  });

  it('reads NDJSON', async () => {
    const lines = '{"userId":"u2","step":1,"outcome":"failed","country":"SG"}\n';
    expect(await previewed(lines, 'application/x-ndjson')).toMatchObject({
      users: 1,
      columns: [],
      countries: [{ country: 'SG', users: 1 }],
      outcomes: [{ step: 1, outcome: 'failed', users: 1 }],
    });
  });
});

describe('a settlement by the status endpoint', () => {
  it('is refused if no action of the chain is of class C', async () => {
    await end();
    const response = await settle({ by: 'status' });
    expect([response.statusCode, problem.parse(response.json()).errors[0]?.code]).toEqual([422, 'no-status-endpoint']);
  });
});

describe('the list of settlements', () => {
  it('is part of the report of a run, and settlements do not change the state of the run', async () => {
    await end();
    const report = async () => {
      const response = await on.api.server.inject({ method: 'GET', url: `${url}/report`, headers: authorized });
      const { state, settled, balanced, steps } = runReport.parse(response.json());
      return { state, settled, balanced, unknown: steps[0]?.unknown };
    };
    const before = { state: 'completed_with_failures', balanced: true };
    expect(await report()).toEqual({ ...before, settled: undefined, unknown: 3 });
    await settle('u2,1,succeeded\nu3,1,failed\n"odd, ""id""",1,failed', 'text/csv');
    expect(await report()).toEqual({ ...before, settled: 3, unknown: 0 });
  });

  it('is returned newest first, and each settlement can be read', async () => {
    await end();
    await settle(byHand);
    await settle('u3,1,failed', 'text/csv');
    const response = await on.api.server.inject({ method: 'GET', url: `${url}/settlements`, headers: authorized });
    const { items } = response.json<{ items: { by: string; settlementId: string }[] }>();
    expect(items.map(({ by }) => by)).toEqual(['file', 'hand']);
    const one = await on.api.server.inject({
      method: 'GET',
      url: `${url}/settlements/${items[0]?.settlementId ?? ''}`,
      headers: authorized,
    });
    expect(settlement.parse(one.json())).toMatchObject({ by: 'file', settled: { failed: 1 } });
  });

  it('has settlements whose users are no longer among the unknown outcomes', async () => {
    await end();
    await settle(byHand);
    const response = await on.api.server.inject({
      method: 'GET',
      url: `${url}/failures?outcome=unknown`,
      headers: authorized,
    });
    expect(response.json<{ items: { userId: string }[] }>().items.map(({ userId }) => userId)).toEqual([
      'odd, "id"',
      'u3',
    ]);
  });
});

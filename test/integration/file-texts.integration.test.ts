import { beforeEach, describe, expect, it } from 'vitest';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { settlement } from '../../shared/contracts/runs/settlements.ts';
import { suppressionUpload } from '../../services/api/withheld/suppressions/suppressions.contract.ts';
import { uploadedAudience } from '../../shared/contracts/campaigns/uploaded-audiences.ts';
import { receiptsAnswer } from '../../shared/contracts/endpoints/receipts.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { claimOne, doneOf, record, startFedRun } from '../support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';

const on = apiOnPostgres();

async function send(url: string, type: string, payload: string | Buffer) {
  const headers = { ...authorized, 'content-type': type };
  return await on.api.server.inject({ method: 'POST', url: `/v1${url}`, headers, payload });
}

/** Returns a file with this odd line between two normal lines. */
function linesOf(first: string, odd: string | Buffer, last: string): Buffer {
  return Buffer.concat([Buffer.from(`${first}\n`), Buffer.from(odd), Buffer.from(`\n${last}\n`)]);
}

/** U+D800 as bytes that follow the rules of UTF-8, which forbids this character. */
const encodedSurrogate = Buffer.from([0xed, 0xa0, 0x80]);
const withBytes = (before: string, after: string) =>
  Buffer.concat([Buffer.from(before), encodedSurrogate, Buffer.from(after)]);

describe('a file of users with characters that Postgres cannot store', () => {
  it.each([
    ['U+0000', 'u\0x'],
    ['U+0000 in a quoted id', '"u\0,""x"'],
    ['U+0000 in a malformed row', '"u\0x'],
    ['U+0000 in a surplus column', 'u,SG,\0'],
    ['a surrogate', withBytes('u', 'x')],
  ])('is stored as a list, and the affected row is rejected: %s', async (_what, odd) => {
    const response = await send(
      '/audiences/upload?name=x&country=SG&acceptRejected=1',
      'text/csv',
      linesOf('a', odd, 'b'),
    );
    expect(response.statusCode).toBe(201);
    const list = uploadedAudience.parse(response.json());
    expect(list).toMatchObject({ state: 'ready', users: 2, rejected: 1 });
    const rejects = await on.api.server.inject({ url: `/v1/audiences/${list.id}/rejects`, headers: authorized });
    expect(rejects.json()).toMatchObject({ items: [{ line: 2 }] });

    const suppressions = await send(
      '/suppressions/uploads?actionType=*&acceptRejected=1',
      'text/csv',
      linesOf('a', odd, 'b'),
    );
    expect(suppressions.statusCode).toBe(201);
    expect(suppressionUpload.parse(suppressions.json())).toMatchObject({ state: 'done', people: 2, rejected: 1 });
  });

  it('rejects the row if the characters are in the country', async () => {
    const rows = linesOf('userId,country\na,SG', 'u,\0', 'b,SG');
    const response = await send('/audiences/upload?name=x&acceptRejected=1', 'text/csv', rows);
    expect(uploadedAudience.parse(response.json())).toMatchObject({ state: 'ready', users: 2, rejected: 1 });
  });
});

describe('a file of jobs with characters that Postgres cannot store', () => {
  it.each([
    ['U+0000 in the body', { body: 'a\0' }],
    ['U+0000 in a name of the body', { body: { 'a\0': 1 } }],
    ['U+0000 in a tag', { tags: ['a\0'] }],
    ['U+0000 in the key', { idempotencyKey: 'a\0' }],
    ['U+0000 in the client', { client: 'a\0' }],
    ['half of a surrogate pair', { body: 'a\ud800' }],
  ])('stores the other jobs and refuses the affected line: %s', async (_what, odd) => {
    await send('/clients', 'application/json', '{"name":"orders"}');
    const job = (more: object) => JSON.stringify({ client: 'orders', url: 'https://shop.test/hook', ...more });
    const file = linesOf(job({ body: 'first' }), job(odd), job({ body: 'last' }));
    const response = await send('/jobs/bulk', 'application/x-ndjson', file);
    expect(response.statusCode).toBe(200);
    const results = response.body
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(results).toMatchObject([
      { line: 1, status: 'accepted' },
      { line: 2, status: 'refused' },
      { line: 3, status: 'accepted' },
    ]);
  });
});

describe('a file of jobs that is not UTF-8', () => {
  it('never stores a job with altered text', async () => {
    await send('/clients', 'application/json', '{"name":"orders"}');
    const line = JSON.stringify({ client: 'orders', url: 'https://shop.test/hook', body: 'jos\xe9' });
    const file = Buffer.concat([Buffer.from(`\ufeff${line}\n`), Buffer.from(line, 'latin1')]);
    const response = await send('/jobs/bulk', 'application/x-ndjson', file);
    expect(response.body.split('\n').slice(0, 2)).toEqual([
      expect.stringContaining('"status":"accepted"'),
      expect.stringMatching(/"status":"refused".*UTF-8/),
    ]);
    expect(await on.rowsOf('jobs')).toMatchObject([{ body: 'jos\xe9' }]);
  });
});

describe('a file about the users of a run with characters that Postgres cannot store', () => {
  let url: string;
  let run: string;
  beforeEach(async () => {
    const stores = createPostgresExecutionStores(on);
    const chain = [{ action: 'award-reward', params: {} }];
    const { runId, feedId } = await startFedRun(stores, [['u1', 'u2', 'u3']], { chain });
    const lost = { outcome: 'unknown', reason: 'muster.ambiguous-answer', detail: null } as const;
    const failures = ['u1', 'u2'].map((user) => ({ user, ...lost }));
    const ledger = stores.ledgerOf('a');
    await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures }));
    await stores.runs.finish(runId, 'completed_with_failures', null);
    run = publicId('run', runId);
    url = `/runs/${run}`;
  });

  const json = (fields: object) => JSON.stringify({ step: 1, outcome: 'succeeded', ...fields });

  it.each([
    ['text/csv', 'U+0000 in the id', 'u\0x,1,succeeded', 'control-character'],
    ['text/csv', 'U+0000 in the country', 'u3,1,succeeded,,S\0', 'malformed'],
    ['text/csv', 'U+0000 in the outcome', 'u3,1,\0', 'invalid-outcome'],
    ['application/x-ndjson', 'U+0000 in the id', json({ userId: 'u\0x' }), 'control-character'],
    ['application/x-ndjson', 'half of a surrogate pair in the id', json({ userId: 'u\ud800' }), 'lone-surrogate'],
    ['application/x-ndjson', 'U+0000 in the country', json({ userId: 'u3', country: '\0' }), 'malformed'],
    ['application/x-ndjson', 'a lone surrogate as country', json({ userId: 'u3', country: '\ud800' }), 'malformed'],
  ])('settles the other lines and ends: %s, %s', async (type, _what, odd, rule) => {
    const [first, last] =
      type === 'text/csv'
        ? ['u1,1,succeeded', 'u2,1,failed']
        : [json({ userId: 'u1' }), json({ userId: 'u2', outcome: 'failed' })];
    const response = await send(`${url}/settle?acceptRejected=1`, type, linesOf(first, odd, last));
    expect(response.statusCode).toBe(200);
    const settled = settlement.parse(response.json());
    expect(settled).toMatchObject({ state: 'done', settled: { succeeded: 1, failed: 1 }, rejected: 1 });
    expect(settled.rejects).toMatchObject([{ line: 2, rule }]);
  });

  it.each([
    ['the user', { user: 'u\0' }],
    ['the run', { run: 'run_\0' }],
    ['the code', { user: 'u2', code: 'a\0' }],
    ['the country', { user: 'u2', country: '\0' }],
    ['a field without meaning', { user: 'u2', more: '\0' }],
  ])('stores the other receipts: U+0000 in %s', async (_what, odd) => {
    const receipt = (more: object) =>
      JSON.stringify({ run, step: 1, status: 'delivered', at: '2026-01-01T00:00:00.000Z', ...more });
    const file = linesOf(receipt({ user: 'u3' }), receipt(odd), receipt({ user: 'u3' }));
    const response = await send('/receipts', 'application/x-ndjson', file);
    expect(response.statusCode).toBe(202);
    expect(receiptsAnswer.parse(response.json()).accepted).toBeGreaterThanOrEqual(2);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { issuedApiKey } from '../../../../shared/contracts/access/api-keys.ts';
import { createdReportLink, reportLink, sharedReport } from '../../../../shared/contracts/runs/shared-reports.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { StepLedger } from '../../../../shared/ports/step-ledger.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import {
  claimOne,
  doneOf,
  failed,
  record,
  startFedRun,
} from '../../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { teamsOn } from '../../../../test/support/teams-on-postgres.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();
const { askAs, makeManager } = teamsOn(on);
const secretive = ['ann-77', 'bob-88', 'cid-99'];

let path: string;
let ledger: StepLedger;
beforeEach(async () => {
  const subject = createPostgresExecutionStores(on);
  ledger = subject.ledgerOf('a');
  const { runId, feedId } = await startFedRun(subject, [secretive], { name: '<b>Payday</b>' });
  const failures = [failed('bob-88', { reason: 'out-of-stock' })];
  await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures }));
  path = `/v1/runs/${publicId('run', runId)}`;
});

async function shared(body: object = {}) {
  const answer = await on.ask('POST', `${path}/share`, body);
  expect(answer.statusCode, answer.body).toBe(201);
  return createdReportLink.parse(answer.json());
}

/** Sends a GET request without a key. */
const read = (url: string, accept = 'application/json', remoteAddress = '203.0.113.1') =>
  on.api.server.inject({ method: 'GET', url, headers: { accept }, remoteAddress });

describe('a link to a report', () => {
  it('shows the report as JSON and as a page to people without a key, and no user ids', async () => {
    const { link } = await shared();
    const report = sharedReport.parse((await read(link)).json());
    expect(report).toMatchObject({
      campaignName: '<b>Payday</b>',
      audience: { counted: 3 },
      balanced: true,
      failures: [{ step: 1, country: 'SG', outcome: 'failed', reason: 'out-of-stock', users: 1 }],
    });
    const page = await read(link, 'text/html,application/xhtml+xml');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).toContain('&lt;b&gt;Payday&lt;/b&gt;');
    expect(page.body).toContain('out-of-stock');
    expect(page.body).not.toContain('<b>Payday');
    expect(page.body).toContain('Muster · Tests');
    expect(page.body).toContain('Times in Asia/Singapore (UTC+8)');
    const all = `${(await read(link)).body} ${page.body}`;
    expect(secretive.filter((user) => all.includes(user))).toEqual([]);
    // The report in the API contains the user id.
    expect((await on.ask('GET', `${path}/report`)).body).toContain('bob-88');
  });

  it('gives access only to this report', async () => {
    const { link } = await shared();
    const token = link.split('/').at(-1) ?? '';
    for (const url of [`${path}/report`, `${path}/users`, '/v1/campaigns'])
      expect((await askAs(token, 'GET', url)).statusCode).toBe(401);
  });

  it('is stored as a hash, and listed without its token', async () => {
    const { link, id } = await shared();
    const token = link.split('/').at(-1) ?? '';
    expect(JSON.stringify(await on.rowsOf('report_links'))).not.toContain(token);
    const answer = await on.ask('GET', `${path}/shares`);
    expect(answer.body).not.toContain(token);
    const { items } = pageShape(reportLink).parse(answer.json());
    expect(items).toMatchObject([{ id, state: 'open', createdBy: publicId('apiKey', on.key) }]);
  });

  it('is not distinguishable from an unknown link after it has ended or was revoked', async () => {
    const [ending, revoked] = [await shared({ expiresInSeconds: 60 }), await shared()];
    expect((await on.ask('DELETE', `${path}/shares/${revoked.id}`)).statusCode).toBe(204);
    expect((await on.ask('DELETE', `${path}/shares/${revoked.id}`)).statusCode).toBe(204);
    expect((await read(ending.link)).statusCode).toBe(200);
    await on.passTime(61_000);
    const never = `/v1/shared-reports/${'x'.repeat(32)}`;
    const seen = await Promise.all([ending.link, revoked.link, never, '/v1/shared-reports/x'].map((url) => read(url)));
    const numbers = seen
      .map((answer) => problem.parse(answer.json()))
      .map(({ status, code, detail }) => [status, code, detail]);
    expect(numbers).toEqual([numbers[0], numbers[0], numbers[0], numbers[0]]);
    expect(numbers[0]?.[0]).toBe(404);
    const { items } = pageShape(reportLink).parse((await on.ask('GET', `${path}/shares`)).json());
    expect(items.map(({ state }) => state)).toEqual(['revoked', 'expired']);
  });

  it('limits the number of reads from one address', async () => {
    const { link } = await shared();
    const answers = [];
    for (let reads = 0; reads < 61; reads++)
      answers.push((await read(link, 'application/json', '203.0.113.2')).statusCode);
    expect((await read(link)).statusCode).toBe(200);
    expect(answers.filter((status) => status === 200)).toHaveLength(60);
    expect(answers.at(-1)).toBe(429);
  });

  it('can be created by managers, for at most 90 days, and 100 times for each run', async () => {
    const { secret } = await makeManager();
    expect((await askAs(secret, 'POST', `${path}/share`, {})).statusCode).toBe(201);
    expect((await on.ask('POST', `${path}/share`, { expiresInSeconds: 91 * 86_400 })).statusCode).toBe(422);
    await on.pool.query(
      `insert into report_links (id, digest, run, created_by, expires_at)
      select uuidv7(), n::text, run, created_by, expires_at from report_links, generate_series(1, 99) n`,
    );
    const answer = await on.ask('POST', `${path}/share`, {});
    expect([answer.statusCode, problem.parse(answer.json()).code]).toEqual([409, 'too-many-links']);
  });
});

describe('a link to a report and the key that created it', () => {
  const scope = { clients: [], countries: ['SG'], actionTypes: null };

  async function sharedBy(key: object = {}) {
    const made = await on.ask('POST', '/v1/api-keys', { name: 'team', role: 'manager', scope, ...key });
    const { key: maker, secret } = issuedApiKey.parse(made.json());
    const answer = await askAs(secret, 'POST', `${path}/share`, { expiresInSeconds: 86_400 });
    expect(answer.statusCode, answer.body).toBe(201);
    return { ...createdReportLink.parse(answer.json()), keyPath: `/v1/api-keys/${maker.id}` };
  }

  async function stateOf(id: string) {
    const { items } = pageShape(reportLink).parse((await on.ask('GET', `${path}/shares`)).json());
    return items.find((each) => each.id === id)?.state;
  }

  it.each([
    ['its key is revoked', 'DELETE', undefined],
    ['its key is for other countries', 'PATCH', { scope: { ...scope, countries: ['ID'] } }],
    ['its key is for other actions', 'PATCH', { scope: { ...scope, actionTypes: ['send-message'] } }],
    ['its key only looks', 'PATCH', { role: 'viewer' }],
  ] as const)('ends when %s', async (_, method, change) => {
    const { link, id, keyPath } = await sharedBy();
    const other = await sharedBy();
    expect((await read(link)).statusCode).toBe(200);
    const answer = await on.ask(method, keyPath, change);
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    expect((await read(link)).statusCode).toBe(404);
    expect(await stateOf(id)).toBe('key-ended');
    expect((await read(other.link)).statusCode).toBe(200);
  });

  it('ends when its key expires, even if the expiry is set later', async () => {
    const endsAt = new Date(on.deps.clock.nowMs() + 3_600_000).toISOString();
    const [short, cut] = [await sharedBy({ expiresAt: endsAt }), await sharedBy()];
    expect(Date.parse(short.expiresAt)).toBe(Date.parse(endsAt));
    expect((await on.ask('PATCH', cut.keyPath, { expiresAt: endsAt })).statusCode).toBe(200);
    expect((await read(cut.link)).statusCode).toBe(200);
    await on.passTime(3_601_000);
    expect((await read(short.link)).statusCode).toBe(404);
    expect((await read(cut.link)).statusCode).toBe(404);
    expect([await stateOf(short.id), await stateOf(cut.id)]).toEqual(['expired', 'key-ended']);
  });
});

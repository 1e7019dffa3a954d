import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { teamsOn } from '../../../test/support/teams-on-postgres.ts';
import { problem } from '../frame/problems.contract.ts';
import { rateWindowMs } from '../frame/streams/upload-bytes.ts';

const on = apiOnPostgres();
const { askAs, makeLead, makeManager, usedBy } = teamsOn(on);

interface Sent {
  request: ClientRequest;
  answer: Promise<IncomingMessage>;
}
const sent: Sent[] = [];
afterEach(async () => {
  for (const { request } of sent.splice(0)) request.destroy();
  await expect.poll(() => on.deps.uploadPool.totalCount).toBe(0);
});

async function send(secret: string, method: string, path: string, headers: Record<string, string>): Promise<Sent> {
  const all = { authorization: `Bearer ${secret}`, ...headers };
  const request = httpRequest(`${await on.start()}${path}`, { method, headers: all });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  answer.catch(() => undefined);
  const slow = { request, answer };
  sent.push(slow);
  return slow;
}

let lists = 0;

/** Begins an upload whose sender stops after the first row. */
async function beginUpload(
  secret: string,
  path = `/v1/audiences/upload?country=SG&name=list-${lists++}`,
): Promise<Sent> {
  const upload = await send(secret, 'POST', path, { 'content-type': 'text/csv', 'content-length': '100000' });
  upload.request.write('userId\na1\n');
  return upload;
}

async function problemAnswerOf({ answer }: Sent) {
  const response = await answer;
  const { headers } = response;
  return { headers, ...problem.parse(JSON.parse(await text(response))) };
}

const upload = (secret: string) => {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'text/csv' };
  const url = `/v1/audiences/upload?country=SG&name=list-${lists++}`;
  return on.api.server.inject({ method: 'POST', url, headers, payload: 'userId\nq1\n' });
};

describe('slow uploads', () => {
  it('occupy at most half of the slots for all keys of an account together, so that other accounts get the others', async () => {
    const lead = await makeLead();
    const member = await makeManager(lead.secret);
    const other = await makeManager();
    const first = await beginUpload(lead.secret);
    await beginUpload(member.secret);
    await expect.poll(() => usedBy(lead.secret)).toMatchObject({ uploads: 2 });
    const refused = await problemAnswerOf(await beginUpload(member.secret));
    expect(refused).toMatchObject({ status: 429, code: 'too-many-uploads', headers: { 'retry-after': '5' } });
    expect(refused.detail).toContain('have 2 uploads under way in this process, which is the limit for an account');
    expect((await upload(other.secret)).statusCode).toBe(201);

    first.request.destroy();
    await expect.poll(() => usedBy(lead.secret)).toMatchObject({ uploads: 1 });
    expect((await upload(member.secret)).statusCode).toBe(201);
  });

  it('share their slots with previews of files, and a preview releases its slot when the caller leaves', async () => {
    const { secret } = await makeManager();
    const path = '/v1/user-files/preview?country=SG';
    const preview = await beginUpload(secret, path);
    await beginUpload(secret, path);
    await expect.poll(() => usedBy(secret)).toMatchObject({ uploads: 2 });
    for (const refused of [await beginUpload(secret, path), await beginUpload(secret)])
      expect(await problemAnswerOf(refused)).toMatchObject({ status: 429, code: 'too-many-uploads' });
    preview.request.destroy();
    await expect.poll(() => usedBy(secret)).toMatchObject({ uploads: 1 });
    expect((await upload(secret)).statusCode).toBe(201);
  });

  it('are refused with 408 and the minimum rate, release their slot, and leave a list in state failed', async () => {
    const { secret } = await makeManager();
    const slow = await beginUpload(secret);
    let isAnswered = false;
    void slow.answer.then(() => (isAnswered = true));
    await expect
      .poll(() => {
        on.deps.clock.advance(rateWindowMs);
        return isAnswered;
      })
      .toBe(true);
    const refused = await problemAnswerOf(slow);
    expect(refused).toMatchObject({ status: 408, code: 'upload-too-slow', headers: { connection: 'close' } });
    expect(refused.detail).toContain('minimum rate of an upload is 1024 bytes a second');
    await expect.poll(() => usedBy(secret)).toMatchObject({ uploads: 0 });
    expect(await on.rowsOf('audiences')).toMatchObject([{ state: 'failed', cause: refused.detail }]);
  });
});

/** Creates a run without failures, and returns the path of its list of failures. */
async function failuresOfRun() {
  const { campaigns, rows } = on.deps;
  const { campaignId } = await campaigns.create(campaignDefinition.parse({ ...someCampaign, countries: ['SG'] }));
  const runId = await rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' });
  const feed = await rows.addFeed(runId, { country: 'SG', fedUsers: 100 });
  return { feed, path: `/v1/runs/${publicId('run', runId)}/failures` };
}

describe('exports', () => {
  it('run two at a time for an account, over their own connections, without delaying pages', async () => {
    const [one, other] = [await makeManager(), await makeManager()];
    const { path } = await failuresOfRun();
    const reader = await on.deps.pool.connect();
    const read = (secret: string) => send(secret, 'GET', path, { accept: 'text/csv' });
    const begin = async (secret: string) => {
      const begun = await read(secret);
      begun.request.end();
      return begun;
    };
    try {
      // The lock makes exports wait, as a slow database would.
      await reader.query('begin');
      await reader.query('lock table user_failures in access exclusive mode');
      const held = [
        await begin(one.secret),
        await begin(one.secret),
        await begin(other.secret),
        await begin(other.secret),
      ];
      await expect.poll(async () => (await usedBy(one.secret))['exports']).toBe(2);
      await expect.poll(async () => (await usedBy(other.secret))['exports']).toBe(2);
      const refused = await problemAnswerOf(await begin(one.secret));
      expect(refused).toMatchObject({ status: 429, code: 'too-many-exports', headers: { 'retry-after': '5' } });
      await expect.poll(() => on.deps.heavyPool.totalCount - on.deps.heavyPool.idleCount).toBe(4);
      expect((await askAs(one.secret, 'GET', '/v1/campaigns')).statusCode).toBe(200);
      await reader.query('rollback');
      for (const { answer } of held) expect((await answer).statusCode).toBe(200);
      for (const { answer } of held) expect(await text(await answer)).toContain('userId');
    } finally {
      reader.release(true);
    }
    await expect.poll(async () => (await usedBy(one.secret))['exports']).toBe(0);
    expect((await askAs(one.secret, 'GET', `${path}?format=csv`)).statusCode).toBe(200);
  });

  it('end when their readers stop, and release slots and connections', async () => {
    const { secret } = await makeManager();
    const { feed, path } = await failuresOfRun();
    // These are more bytes than the buffers of a connection can hold.
    await on.pool.query(
      `insert into user_failures (feed, batch_no, step, user_id, outcome, reason, detail, attempts)
       select $1, 1, 0, 'u' || n, 2, 'refused', repeat('x', 2000), 1 from generate_series(1, 20000) n`,
      [feed],
    );
    const { hostname, port } = new URL(await on.start());
    const readers = ['csv', 'ndjson'].map((format) => {
      const reader = connect(Number(port), hostname).on('error', () => undefined);
      reader.write(`GET ${path}?format=${format} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${secret}\r\n\r\n`);
      return reader;
    });
    try {
      // The readers read only the beginning.
      await Promise.all(readers.map((reader) => once(reader, 'readable')));
      expect(await usedBy(secret)).toMatchObject({ exports: 2 });
      expect((await askAs(secret, 'GET', `${path}?format=csv`)).statusCode).toBe(429);
      await expect
        .poll(async () => {
          on.deps.clock.advance(rateWindowMs);
          return await usedBy(secret);
        })
        .toMatchObject({ exports: 0 });
      await expect.poll(() => on.deps.heavyPool.totalCount - on.deps.heavyPool.idleCount).toBe(0);
    } finally {
      for (const reader of readers) reader.destroy();
    }
  });
});

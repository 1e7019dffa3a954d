import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { judgeOperation } from '../../../test/support/fuzz/judge-operation.ts';
import { createApi, type Api } from '../api.ts';

const on = apiOnPostgres();

let api: Api;
let reads: number;
let url: string;
let campaignId: string;
let planned: number;

beforeEach(async () => {
  reads = 0;
  planned = 0;
  const reports = {
    ...on.deps.reports,
    snapshots: (runIds: readonly string[]) => {
      reads += 1;
      return on.deps.reports.snapshots(runIds);
    },
  };
  api = await createApi({ ...on.deps, reports });
  url = await api.start();
  ({ campaignId } = await on.deps.campaigns.create(campaignDefinitionOf()));
});
afterEach(() => api.close());

async function addRun(ended = false) {
  const scheduledFor = new Date(planned++ * 60_000);
  const state = ended ? 'completed' : 'running';
  const endedAt = ended ? { endedAt: on.deps.clock.now() } : {};
  const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor, state, ...endedAt });
  const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 100 });
  return { id: publicId('run', runId), runId, feedId };
}

const event = z.object({ id: z.string().optional(), name: z.string(), data: z.looseObject({}) });
type Event = z.infer<typeof event>;

interface Stream {
  response: IncomingMessage;
  text(): string;
  received(): Event[];
  beats(): number;
  isOver(): boolean;
}

function open(query: string, headers: Record<string, string> = {}): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const sent = { ...authorized, accept: 'text/event-stream', ...headers };
    httpGet(`${url}/v1/live?${query}`, { headers: sent }, (response) => {
      let text = '';
      let over = false;
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('close', () => (over = true));
      const blocks = () => text.split('\n\n').filter((block) => block !== '');
      resolve({
        response,
        text: () => text,
        received: () =>
          blocks()
            .filter((block) => !block.startsWith(':'))
            .map(eventOf),
        beats: () => blocks().filter((block) => block === ': here').length,
        isOver: () => over,
      });
    }).once('error', reject);
  });
}

function eventOf(block: string): Event {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data: unknown = JSON.parse(fields.get('data') ?? '');
  return event.parse({ id: fields.get('id'), name: fields.get('event'), data });
}

const namesOf = (stream: Stream) => stream.received().map(({ name }) => name);

describe('the event stream of a page in the console', () => {
  it('sends the progress of each run at once, and again after each change', async () => {
    const [one, other] = [await addRun(), await addRun()];
    const stream = await open(`runs=${one.id},${other.id}`);
    await expect.poll(() => namesOf(stream)).toEqual(['progress', 'progress']);

    await on.deps.rows.addTotals(other.feedId, 0, { step: 1, batches: 1, succeeded: 40 });
    await on.passTime(1000);

    await expect
      .poll(() => stream.received().at(-1)?.data)
      .toMatchObject({ runId: other.id, steps: [{ succeeded: 40 }, {}] });
    stream.response.destroy();
  });

  it('sends events that the document describes', async () => {
    const { id } = await addRun(true);
    const stream = await open(`runs=${id}&campaigns=true`);
    await expect.poll(() => new Set(namesOf(stream))).toEqual(new Set(['progress', 'end', 'campaigns']));
    stream.response.destroy();

    const judge = await judgeOperation(on.api.server, 'watchLive');
    const { headers } = stream.response;
    const judged = (text: string) => judge({ status: 200, contentType: headers['content-type'], headers, body: text });
    expect(judged(stream.text())).toEqual([]);
    expect(judged('event: progress\ndata: {"runId":1}\n\n')).toEqual([expect.stringContaining('runId must be string')]);
    expect(judged('event: started\ndata: {}\n\n')).toEqual(['the event started is not declared']);
  });

  it('omits countries if the page is a list', async () => {
    const { id, feedId } = await addRun();
    const [whole, list] = [await open(`runs=${id}`), await open(`runs=${id}&lines=steps`)];
    await on.deps.rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 40 });
    await on.passTime(1000);

    await expect
      .poll(() => list.received().at(-1)?.data)
      .toMatchObject({ runId: id, steps: [{ succeeded: 40 }, {}], countries: [] });
    await expect
      .poll(() => whole.received().at(-1)?.data)
      .toMatchObject({ runId: id, countries: [{ country: 'SG', steps: [{ succeeded: 40 }, {}] }] });
    for (const { response } of [whole, list]) response.destroy();
  });

  it('sends a comment every two seconds', async () => {
    const stream = await open(`runs=${(await addRun()).id}`);
    await expect.poll(() => stream.beats()).toBe(1);
    await on.passTime(2000);
    await expect.poll(() => stream.beats()).toBe(2);
    stream.response.destroy();
  });

  it('reads the database once for all its readers', async () => {
    const runs = [await addRun(), await addRun()];
    const streams = await Promise.all(
      Array.from({ length: 200 }, (_, index) => open(`runs=${runs[index % 2]?.id ?? ''}`)),
    );
    await expect.poll(() => streams.every((stream) => namesOf(stream).length > 0)).toBe(true);
    const before = reads;

    await on.passTime(5000);

    expect(reads - before).toBeLessThanOrEqual(11);
    for (const { response } of streams) response.destroy();
  });

  it('ends when all its runs have ended, with an event `end` for each run', async () => {
    const [going, ended] = [await addRun(), await addRun(true)];
    const stream = await open(`runs=${going.id},${ended.id}`);
    await expect.poll(() => namesOf(stream)).toEqual(['progress', 'progress', 'end']);

    await on.pool.query(`update runs set state = 'completed', ended_at = now() where id = $1`, [going.runId]);
    await on.passTime(3000);

    await expect.poll(() => stream.isOver()).toBe(true);
    expect(namesOf(stream).slice(-2)).toEqual(['progress', 'end']);
    expect(stream.received().at(-1)?.data).toEqual({ runId: going.id, state: 'completed' });
  });

  it('continues after Last-Event-ID, and does not send the end of a run again', async () => {
    const [going, ended] = [await addRun(), await addRun(true)];
    const first = await open(`runs=${going.id},${ended.id}`);
    await expect.poll(() => namesOf(first)).toEqual(['progress', 'progress', 'end']);
    const lastId = first.received().at(-1)?.id ?? expect.fail('no id');
    first.response.destroy();

    const again = await open(`runs=${going.id},${ended.id}`, { 'last-event-id': lastId });

    await expect.poll(() => again.received().map(({ data }) => data['runId'])).toEqual([going.id]);
    again.response.destroy();
  });

  it('sends the counts of campaigns at once and when the list changes', async () => {
    const stream = await open('campaigns=true');
    await expect.poll(() => stream.received()).toMatchObject([{ name: 'campaigns', data: { all: 1, draft: 1 } }]);

    await on.deps.campaigns.create(campaignDefinitionOf({ name: 'another' }));
    await on.passTime(2000);

    await expect.poll(() => stream.received().at(-1)).toMatchObject({ name: 'campaigns', data: { all: 2, draft: 2 } });
    await on.passTime(10_000);
    expect(stream.received()).toHaveLength(2);
    stream.response.destroy();
  });

  it('ends at most ten seconds after its session', async () => {
    const { id } = await addRun();
    const host = new URL(url).host;
    const login = await api.server.inject({
      method: 'POST',
      url: '/v1/session',
      payload: { apiKey: authorized.authorization.slice('Bearer '.length) },
      headers: { host, origin: url },
    });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const opened = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { cookie, accept: 'text/event-stream' };
      httpGet(`${url}/v1/live?runs=${id}`, { headers }, resolve).once('error', reject);
    });
    let over = false;
    opened.resume().on('close', () => (over = true));
    expect(opened.statusCode).toBe(200);
    await on.pool.query('delete from sessions');
    await on.passTime(10_000);
    await expect.poll(() => over).toBe(true);
  });

  it('releases all resources when its reader leaves', async () => {
    const stream = await open(`runs=${(await addRun()).id}&campaigns=true`);
    await expect.poll(() => namesOf(stream).length).toBe(2);
    stream.response.destroy();
    await expect.poll(() => on.deps.clock.nextWakeMs()).toBeUndefined();
  });

  it('refuses unknown runs, and more than fifty', async () => {
    const statusOf = async (query: string) =>
      (await api.server.inject({ method: 'GET', url: `/v1/live?${query}`, headers: authorized })).statusCode;
    expect(await statusOf('runs=run_01jdyjm7sbfx2v4x0000000000')).toBe(404);
    expect(await statusOf('runs=nonsense')).toBe(404);
    expect(await statusOf(`runs=${Array(51).fill('run_01jdyjm7sbfx2v4x0000000000').join(',')}`)).toBe(422);
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createClient,
  createJob,
  createSchedule,
  disableSchedule,
  explainRunUser,
  getJob,
  runScheduleNow,
} from '../../sdk/generated/sdk.gen.ts';
import { batchCall } from '../../shared/contracts/endpoints/batch-actions.ts';
import { readTraceparent, type TraceContext } from '../../shared/domain/tracing/trace-context.ts';
import { startSpanCollector, type CollectedSpan, type SpanCollector } from '../support/span-collector.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

interface ReceivedCall {
  path: string;
  batch: number;
  trace: TraceContext | undefined;
  tracestate: string | undefined;
}

/** Endpoints and a receiver of callbacks: every user succeeds, unless a call is to stay without an answer. */
async function startEndpoints() {
  const calls: ReceivedCall[] = [];
  /** Called as a call comes; true: it is never answered. */
  const script = { hangs: (_call: ReceivedCall): boolean => false };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? '';
      const header = (name: string) => z.string().optional().parse(request.headers[name]);
      const read = path.startsWith('/job') ? undefined : batchCall.parse(JSON.parse(body));
      const trace = readTraceparent(header('traceparent') ?? '');
      const call = { path, batch: read?.batch ?? 0, trace, tracestate: header('tracestate') };
      calls.push(call);
      if (script.hangs(call)) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ results: read?.users.map((id) => ({ id, status: 'succeeded' })) ?? [] }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { calls, script, port, url: `http://127.0.0.1:${port}`, stop };
}

const country = 'SG';
const campaign = { countries: [country], segment: 'riders', chain: rewardThenMessage };
const segments = { SANDBOX_SEGMENTS: 'riders=1500' };
/** Two calls fit into a lease. */
const timeoutMs = 5000;

describe('tracing', () => {
  let collector: SpanCollector;
  let endpoints: Awaited<ReturnType<typeof startEndpoints>>;
  let muster: Installation;

  beforeAll(async () => {
    collector = await startSpanCollector();
    endpoints = await startEndpoints();
    const { url } = endpoints;
    muster = await startInstallation({
      workers: 1,
      dispatchers: 1,
      countries: [country],
      sandbox: segments,
      engine: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER_ARG: '1',
        // The lease is long: an expired lease or a repeated call would add a span, although no worker was killed.
        WORKER_LEASE_MS: '12000',
        KAFKA_SESSION_TIMEOUT_MS: '2000',
      },
      configure: (config) => ({
        ...config,
        actionTypes: {
          'award-reward': { url: `${url}/rewards`, class: 'A', answerForm: 'full', timeoutMs },
          'send-message': { url: `${url}/messages`, class: 'B', answerForm: 'full', timeoutMs },
        },
      }),
    });
  });
  afterAll(async () => {
    await muster.stop();
    endpoints.stop();
    await collector.stop();
  });

  const spansOf = (traceId: string | undefined) => collector.spans.filter((span) => span.traceId === traceId);
  const callsOf = (batch: number) => endpoints.calls.filter((call) => call.batch === batch);
  const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

  it('records a batch as one tree of spans from the trigger over the workers to the endpoints', async () => {
    const runId = await muster.api.run({ ...campaign, name: 'Traced' });
    expect(await muster.api.awaitEnd(runId)).toMatchObject({ state: 'completed' });
    const batchNos = [...new Set(endpoints.calls.map(({ batch }) => batch))];
    expect(batchNos.length).toBeGreaterThan(1);
    await collector.until((spans) =>
      ['feed', 'step send-message'].every((name) => named(spans, name).length === batchNos.length),
    );

    for (const batch of batchNos) {
      const calls = callsOf(batch);
      expect(calls.map(({ path }) => path)).toEqual(['/rewards', '/messages']);
      const [traceId, ...others] = new Set(calls.map(({ trace }) => trace?.traceId));
      expect(others).toEqual([]);
      const spans = spansOf(traceId);
      const [root, ...moreRoots] = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
      expect(moreRoots).toEqual([]);
      expect(root).toMatchObject({ name: 'feed', service: 'muster-trigger', attributes: { 'muster.run': runId } });
      const ids = new Set(spans.map(({ spanId }) => spanId));
      expect(spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
      expect(spans.map(({ service, name }) => `${service} ${name}`).toSorted()).toEqual([
        'muster-trigger feed',
        'muster-trigger publish',
        'muster-trigger write',
        ...['call award-reward', 'call send-message', 'claim', 'claim', 'record', 'record'].map(
          (name) => `muster-worker ${name}`,
        ),
        'muster-worker step award-reward',
        'muster-worker step send-message',
      ]);
      // The parent of the endpoint's own spans is the span of the call.
      const called = spans.filter(({ name }) => name.startsWith('call ')).map(({ spanId }) => spanId);
      expect(calls.map(({ trace }) => trace?.spanId).toSorted()).toEqual(called.toSorted());
    }

    const path = { id: runId, userId: await firstUser(runId) };
    const { batches } = (await explainRunUser({ client: muster.api.client, path })).data;
    expect(batches.map(({ traceId }) => traceId)).toEqual(
      batches.map(({ batchNo }) => callsOf(batchNo)[0]?.trace?.traceId),
    );
  });

  it('continues the trace of a step when another worker takes over from a killed one', async () => {
    endpoints.calls.length = 0;
    const hanging = Promise.withResolvers<ReceivedCall>();
    endpoints.script.hangs = (call) => {
      if (call.path !== '/messages') return false;
      hanging.resolve(call);
      return true;
    };
    const runId = await muster.api.run({ ...campaign, name: 'Taken over' });
    const lost = await hanging.promise;
    await muster.services.get('worker-1')?.end('SIGKILL');
    endpoints.script.hangs = () => false;
    await muster.restart('worker-1');
    expect(await muster.api.awaitEnd(runId)).toMatchObject({ state: 'completed' });

    const again = callsOf(lost.batch).findLast(({ path }) => path === '/messages');
    expect(again?.trace?.traceId).toBe(lost.trace?.traceId);
    expect(again?.trace?.spanId).not.toBe(lost.trace?.spanId);
    await collector.until(() => named(spansOf(lost.trace?.traceId), 'step send-message').length === 1);
    const [step] = named(spansOf(lost.trace?.traceId), 'step send-message');
    expect(Number(step?.attributes['muster.epoch'])).toBeGreaterThan(1);
    expect(spansOf(lost.trace?.traceId).map(({ spanId }) => spanId)).toContain(again?.trace?.spanId);
  });

  it('continues the trace of the caller that scheduled a callback', async () => {
    const egress = { allow: [{ cidr: '127.0.0.0/8', port: endpoints.port }] };
    await createClient({ client: muster.api.client, body: { name: 'orders', endpoint: { egress } } });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const caller = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'rojo=00f067aa0ba902b7' };
    const body = { client: 'orders', url: `${endpoints.url}/job`, body: {} };
    const { id } = (await createJob({ client: muster.api.client, body, headers: caller })).data;
    await collector.until((spans) => named(spans, 'call job').length === 1 && named(spans, 'accept job').length === 1);

    const [call] = endpoints.calls.filter(({ path }) => path === '/job');
    const spans = spansOf(traceId);
    expect(spans.map(({ service, name }) => `${service} ${name}`).toSorted()).toEqual([
      'muster-api accept job',
      'muster-dispatcher call job',
      'muster-dispatcher claim',
      'muster-dispatcher offer',
    ]);
    const [accepted] = named(spans, 'accept job');
    expect(accepted).toMatchObject({ parentSpanId: '00f067aa0ba902b7', attributes: { 'muster.job': id } });
    const below = spans.filter(({ name }) => name !== 'accept job');
    expect(new Set(below.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([accepted?.spanId]));
    const [made] = named(spans, 'call job');
    expect(call).toMatchObject({
      trace: { traceId, spanId: made?.spanId, isSampled: true },
      tracestate: caller.tracestate,
    });
    expect((await getJob({ client: muster.api.client, path: { id } })).data.traceId).toBe(traceId);
  });

  it('records a job of a schedule as one tree that begins in the scheduler, or in the API for a manual run', async () => {
    const { client } = muster.api;
    const target = { client: 'orders', url: `${endpoints.url}/job/of-schedule` };
    const { id } = (await createSchedule({ client, body: { name: 'ticks', target, everySeconds: 1 } })).data;
    const ofSchedule = () =>
      named(collector.spans, 'accept job').filter((span) => span.attributes['muster.schedule'] === id);
    const isWhole = (traceId: string) => named(spansOf(traceId), 'call job').length > 0;
    await collector.until(() => ofSchedule().some(({ traceId }) => isWhole(traceId)));
    const [byHand] = (await runScheduleNow({ client, path: { id }, body: null })).data.fired;
    await disableSchedule({ client, path: { id }, body: {} });
    const fired = (spans: readonly CollectedSpan[]) =>
      named(spans, 'accept job').filter((span) => span.attributes['muster.job'] === byHand?.jobId);
    await collector.until((spans) => fired(spans).some(({ traceId }) => isWhole(traceId)));

    const begun = [
      { service: 'muster-scheduler', accepted: ofSchedule().find(({ traceId }) => isWhole(traceId)) },
      { service: 'muster-api', accepted: fired(collector.spans)[0] },
    ];
    for (const { service, accepted } of begun) {
      const spans = spansOf(accepted?.traceId);
      expect(spans.map((span) => `${span.service} ${span.name}`).toSorted()).toEqual(
        [
          `${service} accept job`,
          ...['call job', 'claim', 'offer'].map((name) => `muster-dispatcher ${name}`),
        ].toSorted(),
      );
      expect(accepted?.parentSpanId).toBeUndefined();
      const below = spans.filter(({ name }) => name !== 'accept job');
      expect(new Set(below.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([accepted?.spanId]));
    }
  });

  it('sends the remaining spans of a process that stops', async () => {
    const called = Promise.withResolvers<ReceivedCall>();
    endpoints.script.hangs = (call) => {
      if (call.path === '/job') called.resolve(call);
      return false;
    };
    await createJob({ client: muster.api.client, body: { client: 'orders', url: `${endpoints.url}/job`, body: {} } });
    const { trace } = await called.promise;
    // The process collects spans for seconds before it sends them.
    await muster.services.get('dispatcher-1')?.end('SIGTERM');
    expect(named(spansOf(trace?.traceId), 'call job')).toMatchObject([{ spanId: trace?.spanId }]);
  });

  /** Returns the id of any user of the run. */
  async function firstUser(runId: string): Promise<string> {
    const response = await muster.api.request(`/v1/runs/${runId}/users?limit=1`);
    const { items } = z.object({ items: z.array(z.object({ userId: z.string() })) }).parse(await response.json());
    return items[0]?.userId ?? '';
  }
});

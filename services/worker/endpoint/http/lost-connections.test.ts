import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../../shared/contracts/endpoints/action-type-config.ts';
import { createHostNames } from '../../../../shared/http-client/host-names.ts';
import { createEgressGuard } from '../../../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../../../shared/runtime/configuration/installation-egress.ts';
import { createPrometheusMeter } from '../../../../shared/runtime/meter/prometheus-meter.ts';
import { systemClock } from '../../../../shared/runtime/system-clock.ts';
import { portOf } from '../../../../test/support/raw-server.ts';
import type { BatchRequest, StatusRequest } from '../batch-endpoint.port.ts';
import { workerMetrics } from '../../report/metrics.ts';
import { createBatchEndpoint } from './batch-endpoint.ts';

const question: StatusRequest = {
  actionType: 'award-reward',
  mode: 'live',
  body: Buffer.from('{"users":["u1"]}'),
};
const batch: BatchRequest = {
  ...question,
  country: 'SG',
  idempotencyKey: 'feed-17-1',
  attempt: 3,
  notAfterMs: Number.POSITIVE_INFINITY,
};

describe('a kept connection to a batch endpoint that is reset without an answer', () => {
  const closers: (() => unknown)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** Starts an endpoint that resets the connection of its second request. */
  async function resettingEndpoint(contractClass: string) {
    const requests: { headers: IncomingMessage['headers']; body: string }[] = [];
    const server = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        if (requests.push({ headers: incoming.headers, body }) === 2) incoming.socket.resetAndDestroy();
        else response.end('{"results":[]}');
      });
    });
    server.keepAliveTimeout = 600_000;
    const url = `http://127.0.0.1:${await portOf(server)}/v1`;
    const config = actionTypeConfig.parse({
      url,
      class: contractClass,
      ...(contractClass === 'C' && { statusUrl: `${url}/status`, appliesLateSeconds: 60 }),
      timeoutMs: 20_000,
    });
    const types = new Map([['award-reward', { config, authorization: undefined, signing: undefined }]]);
    const names = createHostNames({ clock: systemClock });
    const egress = { guard: createEgressGuard([readInstallationEgress({})]), names };
    const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
    const endpoint = createBatchEndpoint({
      types,
      clock: systemClock,
      egress,
      sentAgain: meter.counter(workerMetrics.sentAgain),
    });
    closers.push(
      () => names.close(),
      () => server.close(),
      () => server.closeAllConnections(),
      () => endpoint.close(),
    );
    const sentAgain = async () => {
      const { text: figures } = await meter.expose();
      return figures.split('\n').filter((line) => line.startsWith('muster_worker_calls_sent_again_total{'));
    };
    return { endpoint, requests, sentAgain };
  }

  it.each(['A', 'B'])(
    'has its call of class %s sent a second time with the same key and attempt',
    async (contractClass) => {
      const { endpoint, requests, sentAgain } = await resettingEndpoint(contractClass);
      await endpoint.call({ ...batch, idempotencyKey: 'feed-16-1' });
      expect(await endpoint.call(batch)).toMatchObject({ kind: 'answered', status: 200 });
      const [, lost, again] = requests;
      expect(lost?.headers).toMatchObject({ 'idempotency-key': 'feed-17-1', 'muster-attempt': '3' });
      expect(again).toEqual(lost);
      expect(await sentAgain()).toEqual([
        'muster_worker_calls_sent_again_total{action="award-reward",request="call"} 1',
      ]);
    },
  );

  it.each(['C', 'D'])('leaves its call of class %s ambiguous', async (contractClass) => {
    const { endpoint, requests, sentAgain } = await resettingEndpoint(contractClass);
    await endpoint.call(batch);
    expect(await endpoint.call(batch)).toMatchObject({ kind: 'ambiguous', cause: 'connection reset' });
    expect(requests).toHaveLength(2);
    expect(await sentAgain()).toEqual([]);
  });

  it('has its status request of class C sent a second time', async () => {
    const { endpoint, requests, sentAgain } = await resettingEndpoint('C');
    await endpoint.askStatus(question);
    expect(await endpoint.askStatus(question)).toMatchObject({ kind: 'answered', status: 200 });
    expect(requests).toHaveLength(3);
    expect(await sentAgain()).toEqual([
      'muster_worker_calls_sent_again_total{action="award-reward",request="status"} 1',
    ]);
  });
});

import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { actionTypeConfig } from '../../../../shared/contracts/endpoints/action-type-config.ts';
import { createHostNames } from '../../../../shared/http-client/host-names.ts';
import { createEgressGuard } from '../../../../shared/runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../../../../shared/runtime/configuration/installation-egress.ts';
import { noMeter } from '../../../../shared/runtime/meter/no-meter.ts';
import { systemClock } from '../../../../shared/runtime/system-clock.ts';
import { portOf } from '../../../../test/support/raw-server.ts';
import type { BatchRequest, StatusRequest } from '../batch-endpoint.port.ts';
import { workerMetrics } from '../../report/metrics.ts';
import { createBatchEndpoint } from './batch-endpoint.ts';

const question: StatusRequest = { actionType: 'award-reward', mode: 'live', body: Buffer.from('{}') };
const batch: BatchRequest = {
  ...question,
  country: 'SG',
  idempotencyKey: 'feed-17-1',
  attempt: 1,
  notAfterMs: Number.POSITIVE_INFINITY,
};

describe('a connection to a batch endpoint that was idle for over 0.5 s', () => {
  const closers: (() => unknown)[] = [];

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const close of closers.splice(0).toReversed()) await close();
  });

  async function endpointOf(contractClass: string) {
    let connections = 0;
    const server = createServer((_request, response) => response.end('{"results":[]}'));
    server.keepAliveTimeout = 600_000;
    server.on('connection', () => connections++);
    const url = `http://127.0.0.1:${await portOf(server)}/v1`;
    const config = actionTypeConfig.parse({
      url,
      class: contractClass,
      ...(contractClass === 'C' && { statusUrl: `${url}/status`, appliesLateSeconds: 60 }),
      timeoutMs: 20_000,
    });
    const type = { config, authorization: undefined, signing: undefined };
    const names = createHostNames({ clock: systemClock });
    const egress = { guard: createEgressGuard([readInstallationEgress({})]), names };
    const types = new Map([['award-reward', type]]);
    const sentAgain = noMeter.counter(workerMetrics.sentAgain);
    const endpoint = createBatchEndpoint({ types, clock: systemClock, egress, sentAgain });
    closers.push(
      () => names.close(),
      () => server.close(),
      () => server.closeAllConnections(),
      () => endpoint.close(),
    );
    return { endpoint, connections: () => connections };
  }

  it.each([
    ['A', 1],
    ['B', 1],
    ['C', 2],
    ['D', 2],
  ])('is reused for calls of classes A and B, but not of C and D (class %s)', async (contractClass, expected) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const { endpoint, connections } = await endpointOf(contractClass);
    expect(await endpoint.call(batch)).toMatchObject({ kind: 'answered' });
    now.mockReturnValue(1501);
    expect(await endpoint.call(batch)).toMatchObject({ kind: 'answered' });
    expect(connections()).toBe(expected);
  });

  it('is reused for status requests of class C', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const { endpoint, connections } = await endpointOf('C');
    expect(await endpoint.askStatus(question)).toMatchObject({ kind: 'answered' });
    now.mockReturnValue(1501);
    expect(await endpoint.askStatus(question)).toMatchObject({ kind: 'answered' });
    expect(connections()).toBe(1);
  });
});

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from 'node:http';
import { serveHealth } from './health.ts';
import { readinessOf } from './readiness.ts';
import { createPrometheusMeter } from '../meter/prometheus-meter.ts';

const logger = pino({ level: 'silent' });

describe('the health port', () => {
  let server: Server;
  let url: string;
  let databaseFails: string | undefined;
  const readiness = () =>
    readinessOf({
      loop: () => undefined,
      database: () => (databaseFails === undefined ? Promise.resolve() : Promise.reject(new Error(databaseFails))),
    });

  beforeEach(async () => {
    databaseFails = undefined;
    const meter = createPrometheusMeter({ logger });
    meter.counter({ name: 'muster_turns_total', help: 'Turns.' }).of({}).add(5);
    server = await serveHealth({ port: 0, host: '127.0.0.1', readiness, meter });
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterEach(() => void server.close());

  it('answers /healthz while the process runs, and /readyz with 503 if a part is not ready', async () => {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    databaseFails = 'connect ECONNREFUSED';
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const readiness = await fetch(`${url}/readyz`);
    expect([readiness.status, await readiness.json()]).toEqual([
      503,
      { status: 'not-ready', parts: { loop: 'ok', database: 'connect ECONNREFUSED' } },
    ]);
  });

  it('serves the metrics in the format of Prometheus', async () => {
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answer.text()).toContain('\nmuster_turns_total 5\n');
  });

  it('exposes a muster_ready metric per part from a fresh check', async () => {
    const partsOf = async () => (await (await fetch(`${url}/metrics`)).text()).match(/^muster_ready.*$/gm);
    expect(await partsOf()).toEqual(['muster_ready{part="loop"} 1', 'muster_ready{part="database"} 1']);
    databaseFails = 'connect ECONNREFUSED';
    expect(await partsOf()).toEqual(['muster_ready{part="loop"} 1', 'muster_ready{part="database"} 0']);
  });

  it('names HEALTH_PORT in the error if the port is taken', async () => {
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const second = serveHealth({
      port,
      host: '127.0.0.1',
      readiness,
      meter: createPrometheusMeter({ logger }),
    });
    await expect(second).rejects.toThrow(`HEALTH_PORT=${port}: another process has this port already (127.0.0.1)`);
  });

  it('answers 404 on any other path', async () => {
    expect((await fetch(`${url}/anything`)).status).toBe(404);
  });
});

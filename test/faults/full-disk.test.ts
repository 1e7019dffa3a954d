import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../sdk/generated/sdk.gen.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';
import { mountSmallDisk, type SmallDisk } from './support/small-disk.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';

const names = ['api', 'scheduler', 'trigger', 'worker-1', 'dispatcher-1'];
const countries = ['SG'];
const segment = 'lapsed-riders';
const eventually = { timeout: 120_000, interval: 200 };
/** More jobs than fit on the disk. */
const mostJobs = 5000;
const readinessShape = z.object({ parts: z.record(z.string(), z.string()) });
const acceptedShape = z.object({ id: z.string() });
const problemShape = z.object({ code: z.string() });

describe('row 75: an installation whose Postgres disk is full for some time', () => {
  let postgres: OwnPostgres;
  let disk: SmallDisk;
  let trial: Trial;
  let ports: number[];
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    disk = await mountSmallDisk(192);
  });
  afterEach(async () => {
    disk.makeRoom();
    await trial.end();
  });
  afterAll(async () => {
    await postgres.end();
    disk.end();
  });

  async function begin(without?: FaultControl): Promise<void> {
    ports = await findFreePorts(names.length);
    trial = await startTrial({
      workers: 1,
      dispatchers: 1,
      countries,
      servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
      alterDatabase: (databaseUrl) => disk.moveHere(databaseUrl),
      // The called services record their calls as evidence, so these records must not be on the full disk.
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=12000`,
        SANDBOX_COUNTRIES: 'SG=1',
        SANDBOX_REWARDS_STORE: 'memory',
        SANDBOX_REWARDS_LATENCY_MS: '500-800',
      },
      // The run takes longer than it takes to fill the disk.
      engine: { ...patientCalls, WORKER_CONCURRENCY: '4' },
      engineOf: Object.fromEntries(names.map((name, place) => [name, { HEALTH_PORT: String(ports[place]) }])),
      ...(without && { without }),
    });
    const { client } = trial.muster.api;
    await createClient({
      client,
      body: { name: 'orders', endpoint: { egress: { allow: [{ cidr: '127.0.0.0/8' }] } } },
    });
  }

  async function databaseOf(name: string): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${ports[names.indexOf(name)]}/readyz`);
    const { parts } = readinessShape.parse(await answer.json());
    return `${answer.status} ${parts['database']}`;
  }

  /** Schedules a job for tomorrow. Its body cannot be compressed. */
  const scheduleJob = () =>
    trial.muster.api.request('/v1/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client: 'orders',
        idempotencyKey: randomUUID(),
        delaySeconds: 86_400,
        url: 'http://127.0.0.1:9/hook',
        body: randomBytes(12_000).toString('base64'),
      }),
    });

  const upload = () => {
    const ids = Array.from({ length: 20_000 }, () => randomBytes(45).toString('base64url'));
    return trial.muster.api.request(`/v1/audiences/upload?name=${randomUUID()}&country=SG`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: ['userId', ...ids].join('\n'),
    });
  };

  /** Schedules jobs until one is refused. Returns the ids of the accepted jobs, and the refusal. */
  async function scheduleUntilRefused() {
    const accepted: string[] = [];
    for (let sent = 0; sent < mostJobs; sent++) {
      const answer = await scheduleJob();
      if (!answer.ok) return { accepted, refusal: answer };
      accepted.push(acceptedShape.parse(await answer.json()).id);
    }
    throw new Error(`the disk took all of ${mostJobs} jobs`);
  }

  async function factsOf(refusal: Response) {
    const { code } = problemShape.parse(await refusal.json());
    return { status: refusal.status, code, retryAfter: refusal.headers.get('retry-after') };
  }

  it('refuses requests with Retry-After, loses nothing it accepted and continues automatically', async () => {
    await begin();
    const runId = await trial.muster.api.run({ name: 'On a full disk', countries, segment, chain: rewardThenMessage });
    await trial.awaitCalls(runId, 1, 3);

    const over = trial.injections.begin('disk full', 'Postgres');
    disk.fill();
    const full = { status: 503, code: 'database-full', retryAfter: '30' };
    const { accepted, refusal } = await scheduleUntilRefused();
    expect(await factsOf(refusal)).toEqual(full);
    expect(await factsOf(await upload())).toEqual(full);
    const cause = '503 the disk of the database is full';
    await vi.waitFor(async () => expect(await databaseOf('api')).toContain(cause), eventually);
    // The run needs more rows than fit on the free pages.
    const ofRun = async () => (await Promise.all(['trigger', 'worker-1'].map(databaseOf))).join('\n');
    await vi.waitFor(async () => expect(await ofRun()).toContain(cause), eventually);

    disk.makeRoom();
    over();
    await vi.waitFor(async () => expect((await scheduleJob()).status).toBe(201), eventually);
    await vi.waitFor(async () => expect((await upload()).status).toBe(201), eventually);
    for (const name of names) await vi.waitFor(async () => expect(await databaseOf(name)).toBe('200 ok'), eventually);
    const ended = await trial.awaitEnd(runId, 240_000);
    expect(ended.state).toBe('completed');
    expect(await trial.judge(runId, { rows: '75', scenario: 'disk of Postgres full', segment })).toEqual([]);
    const kept = await Promise.all(
      accepted.map(async (id) => (await trial.muster.api.request(`/v1/jobs/${id}`)).status),
    );
    expect(kept).toEqual(accepted.map(() => 200));
  }, 900_000);

  it('answers with an internal error if the error code of Postgres is not recognised (control)', async () => {
    await begin(faultControls.fullDisksAreRecognised);
    disk.fill();
    const { refusal } = await scheduleUntilRefused();
    expect(await factsOf(refusal)).toEqual({ status: 500, code: 'internal-error', retryAfter: null });
    expect(await databaseOf('api')).toBe('200 ok');
  }, 600_000);
});

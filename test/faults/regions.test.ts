import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  activateRegion,
  createSchedule,
  listOccurrences,
  pauseSchedule,
  putGroup,
  switchRegion,
} from '../../sdk/generated/sdk.gen.ts';
import { createMusterClient } from '../../sdk/muster.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import type { Occurrence } from '../support/callback-evidence.ts';
import { orderViolations } from '../support/order-evidence.ts';
import { ownerOf } from './support/callback-owners.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { claimEvents } from './support/callback-witness.ts';
import { latenessOf } from './support/measure-callbacks.ts';
import { startOwnKafka, type OwnKafka } from './support/own-kafka.ts';
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts';
import { lasting, until } from './support/until.ts';

/** Leases of the trial's schedulers. */
const schedulerLeaseMs = 3000;
const dispatcherLeaseMs = 12_000;
const fallbackSeconds = 3;

/**
 * Two regions, each with its own Kafka and its own api, scheduler and dispatcher, share one database. The east reaches
 * the database through a connection that can be cut.
 */
describe('row 36: two regions', () => {
  let eastKafka: OwnKafka;
  let line: TcpProxy;
  let trial: CallbackTrial;
  let eastApi = '';
  beforeAll(async () => {
    eastKafka = await startOwnKafka(1);
    const { hostname, port } = new URL(inject('databaseUrl'));
    line = await startTcpProxy({ host: hostname, port: Number(port) });
  });
  afterEach(async () => {
    cutOff(false);
    await eastKafka.heal();
    await trial.end();
  });
  afterAll(async () => {
    await line.close();
    await eastKafka.end();
  });

  const cutOff = (isCut: boolean) => line.hold({ toServer: isCut, toClient: isCut });

  async function begin(): Promise<void> {
    const [port = 0] = await findFreePorts(1);
    eastApi = `http://127.0.0.1:${port}`;
    trial = await startCallbackTrial({
      engine: { MUSTER_REGION: 'west' },
      engineOf: (urlFor) => {
        const east = (role: 'engine' | 'api') => {
          const url = new URL(urlFor(role));
          url.host = `127.0.0.1:${line.port}`;
          return { MUSTER_REGION: 'east', KAFKA_BROKERS: eastKafka.brokers, DATABASE_URL: url.href };
        };
        const engine = east('engine');
        return { 'scheduler-2': engine, 'dispatcher-2': engine, 'api-2': { ...east('api'), API_PORT: String(port) } };
      },
    });
    await trial.restart('api-2');
    await until('the api of the east answers', async () => (await fetch(`${eastApi}/readyz`)).ok);
    await until('both regions have partitions', async () => (await owners()).length === 2);
  }

  async function owners(): Promise<string[]> {
    const rows = await trial.database.rows<{ owner: string }>(
      'select distinct owner from job_partitions where owner is not null and expires_at > now()',
    );
    return rows.map(({ owner }) => owner);
  }

  /**
   * Creates a schedule that fires every second for a group whose home is the west, and for one whose home is the east.
   */
  async function recur(): Promise<string> {
    for (const [group, homeRegion] of [
      ['W', 'west'],
      ['E', 'east'],
    ] as const) {
      await putGroup({ client: trial.client, path: { name: group }, body: { homeRegion, fallbackSeconds } });
    }
    const body = {
      ...({ name: 'each second', everySeconds: 1, misfire: 'fire-all' } as const),
      groups: { names: ['W', 'E'] },
      target: { client: 'orders', url: trial.url('recurring/hook') },
    };
    return (await createSchedule({ client: trial.client, body })).data.id;
  }

  /**
   * Returns the expected occurrences so far: each second since the schedule was created, for both groups. Then ends the
   * schedule.
   */
  async function endRecurring(scheduleId: string): Promise<{ expected: Occurrence[]; regionOf: Map<string, string> }> {
    const [{ client }, path] = [trial, { id: scheduleId }];
    const { data: paused } = await pauseSchedule({ client, path, body: {} });
    const lastMs = Date.parse(paused.decidedUntil);
    const expected: Occurrence[] = [];
    for (let atMs = Date.parse(paused.from ?? paused.createdAt); atMs <= lastMs; atMs += 1000) {
      const scheduledFor = new Date(atMs).toISOString();
      if (atMs > Date.parse(paused.createdAt)) {
        expected.push({ scheduleId, group: 'W', scheduledFor }, { scheduleId, group: 'E', scheduledFor });
      }
    }
    const { items } = (await listOccurrences({ client, path, query: { limit: 1000 } })).data;
    const regionOf = new Map(
      items.map(({ scheduledFor, group, region }) => [`${group} ${scheduledFor}`, region ?? '']),
    );
    return { expected, regionOf };
  }

  const claimsOfEast = async (fromMs: number, untilMs = Infinity) => {
    const owner = ownerOf(trial, 'dispatcher-2');
    return (await claimEvents(trial.database)).filter(
      (event) => event.kind !== 'gone' && event.owner === owner && event.atMs >= fromMs && event.atMs < untilMs,
    );
  };

  it('are served by one while the other, cut off from the database, stops within its leases; both continue afterwards', async () => {
    await begin();
    const scheduleId = await recur();
    await trial.schedule({ count: 3000, dueInMs: 500, spreadMs: 35_000 });
    await until('both regions claim', async () => (await claimsOfEast(0)).length > 50);
    const open = await trial.database.count('select 1 from job_claims');
    const cutMs = Date.now();
    const whole = trial.injections.begin('cut off from the store', 'east');
    cutOff(true);
    await until('the west has all partitions', async () => (await owners()).length === 1);
    await lasting(dispatcherLeaseMs);
    const callsUntilThen = trial.receiver.calls().length;
    cutOff(false);
    whole();
    const healedMs = Date.now();
    await until('both have partitions again', async () => (await owners()).length === 2);
    await until('the east claims again', async () => (await claimsOfEast(healedMs)).length > 0);
    await trial.awaitEnded();
    const { expected, regionOf } = await endRecurring(scheduleId);
    await trial.awaitEnded();

    expect(callsUntilThen).toBeGreaterThan(0);
    expect(await claimsOfEast(cutMs + 1000, healedMs)).toEqual([]);
    const inTheCutLate = latenessOf(trial.accepted, trial.receiver.calls()).filter(
      ({ dueAtMs, lateMs }) => lateMs > 1000 && dueAtMs < healedMs,
    );
    const lastLateMs = Math.max(cutMs, ...inTheCutLate.map(({ dueAtMs }) => dueAtMs));
    const inTheCut = expected.filter(({ group, scheduledFor }) => {
      const atMs = Date.parse(scheduledFor);
      return group === 'E' && atMs > cutMs && atMs < healedMs - (fallbackSeconds + 2) * 1000;
    });
    expect(inTheCut.map(({ scheduledFor }) => regionOf.get(`E ${scheduledFor}`))).toEqual(inTheCut.map(() => 'west'));
    const measured = { 'lag under 1 s after s': (lastLateMs - cutMs) / 1000, 'fallback fires': inTheCut.length };
    const verdict = { rows: '36', scenario: 'region cut off', occurrences: expected, measured };
    expect(await trial.judgeCallbacks({ ...verdict, allow: { doubled: open } })).toEqual([]);
    expect(measured['lag under 1 s after s']).toBeLessThan((schedulerLeaseMs + 2500) / 1000);
    expect(inTheCut.length).toBeGreaterThan(0);
  });

  it('claim nothing in a region that was cut off and then switched off, and work again once it is activated', async () => {
    await begin();
    const scheduleId = await recur();
    await trial.schedule({ count: 3000, dueInMs: 500, spreadMs: 30_000 });
    await until('both regions claim', async () => (await claimsOfEast(0)).length > 50);
    const open = await trial.database.count('select 1 from job_claims');
    const whole = trial.injections.begin('cut off from the store', 'east');
    cutOff(true);
    const path = { region: 'west' };
    const reason = 'the east is cut off';
    const { data: switched } = await switchRegion({ client: trial.client, path, body: { reason } });
    const switchedMs = Date.now();
    expect(switched.items.find(({ name }) => name === 'east')).toMatchObject({ active: false });
    await lasting(4000);
    cutOff(false);
    whole();
    await lasting(4000);
    expect(await claimsOfEast(switchedMs)).toEqual([]);
    // On a busy machine, leases of the west may expire for a moment.
    const left = await until('partitions have an owner', async () => {
      const now = await owners();
      return now.length > 0 && now;
    });
    expect(left).toHaveLength(1);
    // The request goes to the API of the east, whose answers are the same.
    const apiKey = trial.muster.cliEnvironment['MUSTER_API_KEY'] ?? '';
    const east = createMusterClient({ url: eastApi, apiKey });
    await activateRegion({ client: east, path: { region: 'east' } });
    const activeMs = Date.now();
    await until('both have partitions again', async () => (await owners()).length === 2);
    await trial.schedule({ count: 300, dueInMs: 0, spreadMs: 2000 });
    await until('the east claims again', async () => (await claimsOfEast(activeMs)).length > 0);
    await trial.awaitEnded();
    const { expected } = await endRecurring(scheduleId);
    await trial.awaitEnded();

    const verdict = { rows: '36', scenario: 'operator switches', occurrences: expected };
    expect(await trial.judgeCallbacks({ ...verdict, allow: { doubled: open } })).toEqual([]);
  });

  it('make no concurrent or unordered call at a switch while both call jobs with ordering keys', async () => {
    await begin();
    const worksForMs = 200;
    await trial.receiver.behave({ slow: { latencyMs: worksForMs } });
    const orderingKeyOf = (index: number) => `merchant-${index % 20}`;
    const wanted = { count: 1200, path: 'slow', spreadMs: 8000, orderingKeyOf, ordering: 'in-order' } as const;
    const ids = await trial.schedule(wanted);
    await until('both regions claim', async () => (await claimsOfEast(0)).length > 50);
    const reason = 'the east is to be emptied';
    await switchRegion({ client: trial.client, path: { region: 'west' }, body: { reason } });
    const switchedMs = Date.now();
    await trial.awaitEnded();

    expect(await claimsOfEast(switchedMs)).toEqual([]);
    const keys = Array.from({ length: 20 }, (_, key) => ids.filter((_id, index) => index % 20 === key));
    const calls = await trial.receiver.allCalls();
    expect(orderViolations(keys, calls, { worksForMs, isInOrder: true })).toEqual([]);
    expect(await trial.judgeCallbacks({ rows: '36', scenario: 'operator switches, jobs of keys' })).toEqual([]);
  });

  it('leave jobs of a region that lost its Kafka waiting until the operator switches, and then call them once', async () => {
    await begin();
    await trial.schedule({ count: 1500, dueInMs: 500, spreadMs: 15_000 });
    await until('both regions claim', async () => (await claimsOfEast(0)).length > 50);
    const back = trial.injections.begin('Kafka killed', 'east');
    await eastKafka.kill(1);
    await lasting(3000);
    const reason = 'the Kafka of the east is lost';
    await switchRegion({ client: trial.client, path: { region: 'west' }, body: { reason } });
    const switchedMs = Date.now();
    await trial.awaitEnded();
    back();

    const late = latenessOf(trial.accepted, trial.receiver.calls()).filter(({ lateMs }) => lateMs > 1000);
    const lastLateMs = Math.max(switchedMs, ...late.map(({ dueAtMs }) => dueAtMs));
    const measured = { 'lag under 1 s after s': (lastLateMs - switchedMs) / 1000 };
    expect(await trial.judgeCallbacks({ rows: '36', scenario: 'Kafka of a region lost', measured })).toEqual([]);
    expect(await claimsOfEast(switchedMs)).toEqual([]);
  });
});

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createHeartbeat } from '../../services/dispatcher/heartbeat.ts';
import { createNodeReporter } from '../../services/dispatcher/report-node.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { clientIdOf, jobIdOf } from '../support/conformance/job-subject.ts';
import { dispatcherSubject, ok, topic } from '../support/dispatcher-subject.ts';
import { createMemoryJobNodes } from '../support/memory/job-nodes.ts';
import { createMemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import { passTime } from '../support/pass-time.ts';

const client = clientIdOf(1);
const callMs = 40;
const partitions = 12;

/** Starts dispatchers of two regions, and counts the calls of one client in flight at once. */
function setUp(concurrency: number) {
  const figures = { inFlight: 0, most: 0, calls: 0 };
  const busy = new Set<string>();
  const subject = dispatcherSubject(() => ok, partitions);
  const { clock, tables, clients, dispatcherOf } = subject;
  tables.regions.set('far', { epoch: 1, active: true });
  clients.set(client, { limits: { clientId: client, revision: 1, concurrency, timeoutMs: 1000, egress: [] } });
  const logger = pino({ level: 'silent' });
  const leases = createMemoryLeases({ database: createMemoryDatabase(clock) });

  async function start(owner: string, region = 'local') {
    const [nodes, heartbeat] = [createMemoryJobNodes({ tables }), createHeartbeat()];
    const call = async () => {
      busy.add(owner);
      figures.calls++;
      figures.most = Math.max(figures.most, ++figures.inFlight);
      await clock.sleep(callMs);
      figures.inFlight--;
      return ok;
    };
    const dispatcher = dispatcherOf(owner, clock, { nodes, leases, heartbeat, endpoint: { call } });
    const reporter = createNodeReporter({ nodes, owner, region, dispatcher, heartbeat, clock, logger });
    reporter.start();
    await dispatcher.start();
    const stop = async () => {
      await subject.stop(dispatcher);
      await reporter.stop();
    };
    return { stop, die: () => reporter.stop() };
  }

  let number = 0;
  /** Offers each job in its own message, so that each dispatcher gets some. */
  async function offer(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth++) await subject.offer({ jobId: jobIdOf(number++), clientId: client });
  }
  /** Offers the jobs again that a dead dispatcher had in memory, as a scheduler does. */
  async function offerLost(): Promise<void> {
    for (const { jobId, dueAtMs } of tables.jobs.values()) {
      const jobs = [[jobPartitionOf(jobId), dueAtMs * 1000, jobId, 0]];
      await subject.bus.publisher().publish([{ topic, value: JSON.stringify({ clients: [client], jobs }) }]);
    }
  }
  return { clock, figures, busy, start, offer, offerLost };
}

describe('concurrent calls of a client', () => {
  it.each([
    [1, 10],
    [3, 10],
    [10, 10],
    [25, 10],
    [50, 3],
  ])('reach %i over %i dispatchers of two regions, and each dispatcher makes some', async (concurrency, count) => {
    const { clock, figures, busy, start, offer } = setUp(concurrency);
    const starting = Array.from({ length: count }, (_, nth) => start(`d${nth}`, nth % 2 === 0 ? 'local' : 'far'));
    await passTime(clock, 5000);
    const started = await Promise.all(starting);
    await offer(600);
    await passTime(clock, 60_000);
    expect(figures).toEqual({ inFlight: 0, most: concurrency, calls: 600 });
    expect(busy.size).toBe(count);
    for (const { stop } of started) await stop();
  });

  it('stay within the limit while dispatchers come and go', async () => {
    const { clock, figures, start, offer, offerLost } = setUp(7);
    const starting = [start('a'), start('b')] as const;
    await passTime(clock, 5000);
    const [first, second] = await Promise.all(starting);
    await offer(1500);
    await passTime(clock, 1000);
    expect(figures.most).toBe(7);
    const coming = start('c');
    await passTime(clock, 5000);
    const third = await coming;
    await second.stop();
    await offerLost();
    await passTime(clock, 5000);
    await offer(300);
    await passTime(clock, 20_000);
    expect(figures).toEqual({ inFlight: 0, most: 7, calls: 1800 });
    await first.stop();
    await third.stop();
  });

  it('rotate between dispatchers if only one may call, so that a waiting job is called soon', async () => {
    const { clock, figures, start, offer, offerLost } = setUp(1);
    const starting = [start('a'), start('b')] as const;
    await passTime(clock, 5000);
    const [first, second] = await Promise.all(starting);
    await offer(1);
    await passTime(clock, 200);
    expect(figures.calls).toBe(1);
    await first.stop();
    await offer(30);
    await offerLost();
    await passTime(clock, 4000);
    expect(figures).toEqual({ inFlight: 0, most: 1, calls: 31 });
    await second.stop();
  });
});

import { pino } from 'pino';
import { clientIdOf, jobIdOf, type SeedJob } from './conformance/job-subject.ts';
import { createMemoryCallLedger } from './memory/call-ledger.ts';
import { createCallbackTables } from './memory/callback-tables.ts';
import { createMemoryHostCircuits } from './memory/host-circuits.ts';
import { createMemoryKeyAdvancer } from './memory/key-advancer.ts';
import { createMemoryDatabase } from './memory/memory-database.ts';
import { createMemoryLeases } from './memory/leases.ts';
import { memoryJobSubject } from './memory/job-subject.ts';
import { createMemoryBus } from './memory/memory-bus.ts';
import { createMemoryChangeFeed } from './memory/change-feed.ts';
import { passTime } from './pass-time.ts';
import { createSettableClock } from './settable-clock.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { createCallOpener } from '../../services/dispatcher/call/call-opener.ts';
import { createReportInviter } from '../../services/dispatcher/call/report-inviter.ts';
import { createDispatcher } from '../../services/dispatcher/assemble-dispatcher.ts';
import type { DispatcherDeps } from '../../services/dispatcher/dispatcher-deps.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import type { Callback, CallbackAnswer } from '../../services/dispatcher/ports/callback-endpoint.ts';
import type { ClientTerms } from '../../services/dispatcher/ports/client-terms.ts';

export const topic = 'muster.local.calls';
export const leaseMs = 60_000;
export const ok: CallbackAnswer = { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from('thanks') };
/** Returns the ids of jobs from `from` to before `until`. */
export const numbered = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => jobIdOf(from + index));
export const status = (code: number): CallbackAnswer => ({ ...ok, status: code });

/** Creates a dispatcher over tables in memory. A function answers its calls. */
export function dispatcherSubject(
  answerOf: (call: Callback) => CallbackAnswer | Promise<CallbackAnswer> = () => ok,
  partitions = 1,
) {
  const clock = createSettableClock();
  const tables = createCallbackTables(clock);
  const subject = memoryJobSubject(tables);
  const bus = createMemoryBus({ topics: [topic], partitions, laneHighMark: 512 });
  const calls: Callback[] = [];
  const letters: string[] = [];
  const clients = new Map<string, Partial<ClientTerms>>();
  const logger = pino({ level: 'silent' });
  const secretBox = createSecretBox([Buffer.alloc(32, 7)]);
  // Tables in memory send no changes.
  const changes = createMemoryChangeFeed();
  changes.lose();

  function termsOf(clientId: string): ClientTerms | undefined {
    if (clientId === clientIdOf(404)) return undefined;
    const limits = { clientId, revision: 1, concurrency: 10, timeoutMs: 1000, egress: [] };
    return {
      ownerId: clientId,
      limits,
      pauseReason: null,
      retries: { strategy: 'fixed', attempts: 3, delayMs: 1000 },
      sideline: { afterFailures: 5, failureRate: 0.5, probeEveryMs: 30_000, pathPrefixes: [] },
      onGone: 'dead-letter',
      keepsBodies: true,
      finalCodes: [],
      reportWithinMs: null,
      auth: null,
      sign: () => [],
      ...clients.get(clientId),
    };
  }

  const dispatcherOf = (owner: string, ownClock: Clock = clock, more: Partial<DispatcherDeps> = {}) =>
    createDispatcher({
      consumer: bus.consumer('dispatchers', [topic]),
      ledger: createMemoryCallLedger({ tables, owner, leaseMs }),
      circuits: createMemoryHostCircuits({ tables, owner }),
      keys: createMemoryKeyAdvancer({ tables }),
      clients: { termsOf },
      opener: createCallOpener({ secretBox, clock: ownClock, logger }),
      inviter: createReportInviter({ secretBox, publicAddress: undefined }),
      endpoint: {
        call: async (call) => {
          calls.push(call);
          return await answerOf(call);
        },
      },
      deadLetters: {
        add: (added) => {
          letters.push(...added.map(({ reason }) => reason));
          return Promise.resolve();
        },
      },
      heartbeat: { aliveUntilMs: () => Infinity },
      nodes: { dispatchers: () => Promise.resolve([owner]) },
      leases: createMemoryLeases({ database: createMemoryDatabase(clock) }),
      owner,
      leaseMs,
      concurrency: 100,
      changes,
      clock: ownClock,
      random: () => 0.5,
      logger,
      ...more,
    });

  /** Adds jobs and offers them. */
  async function offer(...jobs: (Partial<SeedJob> & { jobId: string })[]): Promise<void> {
    const seeds = jobs.map((job) => ({ clientId: clientIdOf(1), dueInMs: 0, ...job }));
    const keys = await subject.add(seeds);
    const references = keys.map(({ partition, dueUs, jobId }, index) => [partition, dueUs, jobId, index]);
    const owners = seeds.map(({ clientId }) => clientId);
    await bus.publisher().publish([{ topic, value: JSON.stringify({ clients: owners, jobs: references }) }]);
  }

  /** Acts like a scheduler: offers jobs that are due and not called, then passes this much time. */
  async function offerDue(thenMs: number): Promise<void> {
    const due = [...tables.jobs.values()].filter((job) => job.dueAtMs <= clock.nowMs() && !tables.fires.has(job.jobId));
    const references = due.map(({ jobId, dueAtMs }) => [jobPartitionOf(jobId), dueAtMs * 1000, jobId, 0]);
    const value = JSON.stringify({ clients: [clientIdOf(1)], jobs: references });
    if (references.length > 0) await bus.publisher().publish([{ topic, value }]);
    await passTime(clock, thenMs);
  }

  async function stop(dispatcher: ReturnType<typeof dispatcherOf>): Promise<void> {
    const stopping = dispatcher.stopIntake().then(() => dispatcher.finishWork());
    await passTime(clock, 100);
    await stopping;
  }
  return {
    clock,
    tables,
    subject,
    bus,
    changes,
    calls,
    letters,
    clients,
    termsOf,
    dispatcherOf,
    offer,
    offerDue,
    stop,
  };
}

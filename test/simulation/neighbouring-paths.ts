import { pino } from 'pino';
import { createHeartbeat } from '../../services/dispatcher/heartbeat.ts';
import type { Callback, CallbackAnswer } from '../../services/dispatcher/ports/callback-endpoint.ts';
import { createNodeReporter } from '../../services/dispatcher/report-node.ts';
import { createJobOfferer, leaderLease } from '../../services/scheduler/offer/job-offerer.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { clientIdOf, jobIdOf, type SeedJob } from '../support/conformance/job-subject.ts';
import { dispatcherSubject, leaseMs, ok, topic } from '../support/dispatcher-subject.ts';
import { createMemoryCallLedger } from '../support/memory/call-ledger.ts';
import { createMemoryDueReferences } from '../support/memory/due-references.ts';
import { createMemoryDispatchers } from '../support/memory/job-nodes.ts';
import { createMemoryKeyAdvancer } from '../support/memory/key-advancer.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import { createMemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryPartitionLeases } from '../support/memory/partition-leases.ts';
import { passTime } from '../support/pass-time.ts';

/** An answer of the receiver to the calls of the bad path. */
export type BadAnswer =
  'hangs' | 'resets' | 'garbage' | '500' | '503' | '429' | '429 with Retry-After' | 'slow answers';

export interface Scenario {
  answer: BadAnswer;
  /** Calls in flight of the client, over all dispatchers. */
  concurrency: number;
  dispatchers: number;
  /**
   * `bad`: the receiver fails the bad path for three seconds before the first healthy job. `turned`: it serves the bad
   * path well until then. `healthy`: the jobs of the bad path begin a second after the healthy ones.
   */
  first: 'bad' | 'healthy' | 'turned';
  /** Property that the bad jobs share: their path, their host or their ordering key. */
  by: 'path' | 'host' | 'key';
  /** Paths that the bad jobs call in turn, with `by: 'path'`; one unless given. */
  badPaths?: number;
  /** Time-out of calls; 4 s unless given. */
  timeoutMs?: number;
}

interface Outcome {
  /** The 99th percentile of the time from the due time of a healthy job until its answer. */
  p99Ms: number;
  /** Milliseconds from the repair of the receiver until it has answered as many bad jobs as arrive in a second. */
  mendedMs: number;
}

const callMs = 150;
const usualTimeoutMs = 4000;
const leadMs = 3000;
const healthyForMs = 8000;
const stepMs = 50;
const goodKeys = 100;
const logger = pino({ level: 'silent' });

type Kind = 'bad' | 'good';
const urls: Record<Scenario['by'], Record<Kind, string>> = {
  path: { bad: 'https://one.example/orders/bad/7', good: 'https://one.example/orders/paid/7' },
  host: { bad: 'https://bad.example/orders/7', good: 'https://good.example/orders/7' },
  key: { bad: 'https://one.example/orders/7', good: 'https://one.example/orders/7' },
};

const otherPaths = ['sent', 'back', 'moved', 'split', 'held', 'open', 'seen', 'lost'] as const;

/** Times of healthy jobs beside others that are as healthy, which do not depend on the answer. */
const healthyTimes = new Map<string, number>();

/** Compares the lateness of healthy jobs beside bad jobs with their lateness beside other healthy jobs. */
export async function compareNeighbours(scenario: Scenario) {
  const { answer: _answer, ...terms } = scenario;
  const key = JSON.stringify(terms);
  const withHealthyMs = healthyTimes.get(key) ?? (await runNeighbours(scenario, false)).p99Ms;
  healthyTimes.set(key, withHealthyMs);
  const { p99Ms, mendedMs } = await runNeighbours(scenario, true);
  return { withHealthyMs, withBadMs: p99Ms, mendedMs };
}

async function runNeighbours(scenario: Scenario, isBroken: boolean): Promise<Outcome> {
  const { answer, concurrency, dispatchers, first, by, badPaths = 1, timeoutMs = usualTimeoutMs } = scenario;
  const kinds = new Map<string, Kind>();
  const answeredAtMs = new Map<string, number>();
  let isBad = false;
  let badAnswered = 0;

  const subject = dispatcherSubject(async ({ headers }: Callback) => {
    const id = headers[headers.indexOf('webhook-id') + 1] ?? '';
    const isOfBad = kinds.get(id) === 'bad';
    const given = isBad && isOfBad ? await badAnswer(answer, timeoutMs, clock) : await wellAnswer(clock);
    const isWell = given.kind === 'answered' && given.status < 300;
    if (isWell) answeredAtMs.set(id, clock.nowMs());
    if (isWell && isOfBad) badAnswered++;
    return given;
  }, 4);
  const { clock, tables, clients, dispatcherOf } = subject;
  const clientId = clientIdOf(1);
  const limits = { clientId, revision: 1, concurrency, timeoutMs, egress: [] };
  clients.set(clientId, {
    limits,
    retries: { strategy: 'exponential', attempts: 50, firstDelayMs: 1000, maxDelayMs: 8000 },
    sideline: { afterFailures: 10, failureRate: 0.5, probeEveryMs: 30_000, pathPrefixes: [] },
  });
  const database = createMemoryDatabase(clock);
  const leases = createMemoryLeases({ database });
  const keys = createMemoryKeyAdvancer({ tables });
  const { nodes } = subject.subject;

  function startDispatcher(owner: string): void {
    const heartbeat = createHeartbeat();
    const dispatcher = dispatcherOf(owner, clock, {
      nodes,
      heartbeat,
      leases,
      ledger: createMemoryCallLedger({ tables, owner, leaseMs }),
    });
    void dispatcher.start();
    createNodeReporter({ nodes, dispatcher, owner, region: 'local', heartbeat, clock, logger }).start();
  }

  function startScheduler(): void {
    createJobOfferer({
      due: createMemoryDueReferences({ tables }),
      partitions: createMemoryPartitionLeases({ tables, leases: database.leases, leader: leaderLease }),
      publisher: subject.bus.publisher(),
      dispatchers: createMemoryDispatchers({ tables }),
      rateOf: () => undefined,
      nameOf: () => undefined,
      region: () => ({ name: 'local', epoch: 1, active: true }),
      leases,
      changes: subject.changes,
      topic,
      owner: 's',
      leaseMs: 3000,
      clock,
      logger,
    }).start();
  }

  const urlOf = (kind: Kind, number: number) =>
    badPaths > 1 && kind === 'bad' ? `https://one.example/orders/${otherPaths[number % badPaths]}/7` : urls[by][kind];
  let numbers = 0;
  async function add(kind: Kind, count: number): Promise<void> {
    const jobs = Array.from({ length: count }, (): SeedJob => {
      const jobId = jobIdOf(++numbers);
      kinds.set(publicId('job', jobId), kind);
      const key = kind === 'bad' ? 'bad' : `good-${numbers % goodKeys}`;
      const ordering = { key, isInOrder: false };
      return { jobId, clientId, dueInMs: 0, url: urlOf(kind, numbers), ...(by === 'key' && { ordering }) };
    });
    await subject.subject.add(jobs);
    if (by !== 'key') return;
    const used = new Set(jobs.map(({ ordering }) => ordering?.key ?? ''));
    await keys.advance(Array.from(used, (key) => ({ clientId, key })));
  }

  startScheduler();
  for (let nth = 0; nth < dispatchers; nth++) startDispatcher(`d${nth}`);
  await passTime(clock, dispatchers > 1 ? 6000 : 1000);

  const perStep = (concurrency / 3 / callMs) * stepMs;
  const dues = new Map<string, number>();
  let [owedGood, owedBad] = [0, 0];
  const stepBad = async (more = 0) => {
    owedBad += perStep + more;
    await add('bad', Math.floor(owedBad));
    owedBad %= 1;
  };
  const stepGood = async () => {
    owedGood += perStep;
    const before = numbers;
    await add('good', Math.floor(owedGood));
    for (let number = before + 1; number <= numbers; number++)
      dues.set(publicId('job', jobIdOf(number)), clock.nowMs());
    owedGood %= 1;
  };
  if (first !== 'healthy') {
    isBad = isBroken && first === 'bad';
    await stepBad(first === 'bad' ? 3 * concurrency : 0);
    for (let ms = 0; ms < leadMs; ms += stepMs) {
      await stepBad();
      await passTime(clock, stepMs);
    }
  }
  isBad = isBroken;
  for (let ms = 0; ms < healthyForMs; ms += stepMs) {
    await stepGood();
    if (first !== 'healthy' || ms > 1000)
      await stepBad(ms === 1000 + stepMs && first === 'healthy' ? 3 * concurrency : 0);
    await passTime(clock, stepMs);
  }
  const isAnswered = (id: string) => answeredAtMs.has(id);
  for (let ms = 0; ms < 60_000 && ![...dues.keys()].every(isAnswered); ms += stepMs) await passTime(clock, stepMs);
  const late = Array.from(dues, ([id, dueMs]) => (answeredAtMs.get(id) ?? Infinity) - dueMs);

  isBad = false;
  const enough = badAnswered + Math.ceil(perStep * (1000 / stepMs));
  const mendedAtMs = clock.nowMs();
  if (isBroken) {
    while (badAnswered < enough && clock.nowMs() - mendedAtMs < 120_000) await passTime(clock, stepMs);
  }
  return {
    p99Ms: quantile(late, 0.99),
    mendedMs: clock.nowMs() - mendedAtMs,
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

async function wellAnswer(clock: { sleep(ms: number): Promise<void> }): Promise<CallbackAnswer> {
  await clock.sleep(callMs);
  return ok;
}

async function badAnswer(
  answer: BadAnswer,
  timeoutMs: number,
  clock: { sleep(ms: number): Promise<void> },
): Promise<CallbackAnswer> {
  const status = (code: number, retryAfterMs: number | null = null): CallbackAnswer => ({
    kind: 'answered',
    status: code,
    retryAfterMs,
    body: Buffer.alloc(0),
  });
  switch (answer) {
    case 'hangs':
      await clock.sleep(timeoutMs);
      return { kind: 'unanswered', cause: 'no whole answer in time' };
    case 'slow answers':
      await clock.sleep(3000);
      return ok;
    default:
      await clock.sleep(5);
  }
  switch (answer) {
    case 'resets':
      return { kind: 'unanswered', cause: 'the connection was reset' };
    case 'garbage':
      return { kind: 'unanswered', cause: 'the answer is no HTTP' };
    case '500':
      return status(500);
    case '503':
      return status(503);
    case '429':
      return status(429);
    default:
      return status(429, 5000);
  }
}

import { pino } from 'pino';
import { createReportInviter } from '../../services/dispatcher/call/report-inviter.ts';
import { createCallOpener } from '../../services/dispatcher/call/call-opener.ts';
import { createDispatcher } from '../../services/dispatcher/assemble-dispatcher.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import type { CallLedger, JobResult } from '../../services/dispatcher/ports/call-ledger.ts';
import type { CallbackAnswer } from '../../services/dispatcher/ports/callback-endpoint.ts';
import type { ClientTerms } from '../../services/dispatcher/ports/client-terms.ts';
import { createHeartbeat } from '../../services/dispatcher/heartbeat.ts';
import { createNodeReporter } from '../../services/dispatcher/report-node.ts';
import { createKeySweeper } from '../../services/scheduler/sweep-keys.ts';
import { createJobOfferer, leaderLease } from '../../services/scheduler/offer/job-offerer.ts';
import type { DueReferences } from '../../services/scheduler/ports/due-references.ts';
import type { JobNodes } from '../../shared/ports/job-nodes.ts';
import type { KeyAdvancer } from '../../shared/ports/ordered-keys.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import type { StoredPriority } from '../../shared/domain/job/priority-bands.ts';
import { createRegionWatch } from '../../shared/runtime/installation/region-watch.ts';
import { clientIdOf, jobIdOf } from '../support/conformance/job-subject.ts';
import { createMemoryCallLedger } from '../support/memory/call-ledger.ts';
import { createCallbackTables, type CallbackTables } from '../support/memory/callback-tables.ts';
import { createMemoryDueReferences } from '../support/memory/due-references.ts';
import { createMemoryKeyAdvancer } from '../support/memory/key-advancer.ts';
import { createMemoryHostCircuits } from '../support/memory/host-circuits.ts';
import { createOrderWitness } from './order-witness.ts';
import { takingLittle } from './taking-little.ts';
import { createMemoryDispatchers, createMemoryJobNodes, isDead } from '../support/memory/job-nodes.ts';
import { memoryJobSubject } from '../support/memory/job-subject.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import { createMemoryBus } from '../support/memory/memory-bus.ts';
import { createMemoryDatabase } from '../support/memory/memory-database.ts';
import type { MessageFate } from '../support/memory/memory-topics.ts';
import { createMemoryChangeFeed } from '../support/memory/change-feed.ts';
import { createMemoryPartitionLeases } from '../support/memory/partition-leases.ts';
import { createMemoryRegions, switchRegions } from '../support/memory/regions.ts';
import { passTime } from '../support/pass-time.ts';
import { createSettableClock } from '../support/settable-clock.ts';
import { createProcessFaults, slowFates, type Fate, type PortCall, type ProcessFaults } from './process-faults.ts';
import type { Chance } from './seeded.ts';

export const callLeaseMs = 8000;
const topicOf = (region: string) => `muster.${region}.calls`;
const partitionLeaseMs = 3000;
const restartAfterMs = 700;

export type ProcessKind = 'scheduler' | 'dispatcher';

export interface CallbackScenario {
  chance: Chance;
  jobs: number;
  /** Returns the number for the job's id: its last six bits are the partition. */
  numberOf?: (nth: number) => number;
  /** Duration of the faults. Afterwards time passes until all work is done. */
  faultsLastMs: number;
  fateOf: (process: { kind: ProcessKind; nth: number }, call: PortCall) => Fate;
  messageFate: () => MessageFate;
  answerOf: () => CallbackAnswer | 'hang';
  frozenMs: () => number;
  /** Regions of the processes, two of a kind in each; `local` unless given. */
  regions?: readonly string[];
  /** Time from the start until an operator makes the last region the only active one. Undefined: never. */
  switchAfterMs?: number;
  /** Returns how far in the past a commit may become visible. */
  lateMs: () => number;
  /** Dispatchers accept hardly any jobs of a client at a time, so each client is behind now and then. */
  isScarce?: boolean;
  /** Upper bound on the lateness of a job's first call. If undefined, each job only has to be called before the end. */
  latestMs?: number;
  weaken?: (ledger: CallLedger, tables: CallbackTables) => CallLedger;
  weakenDue?: (due: DueReferences) => DueReferences;
  weakenKeys?: (keys: KeyAdvancer, tables: CallbackTables) => KeyAdvancer;
  /** Priority of each job; normal unless given. */
  priorityOf?: (nth: number) => StoredPriority | undefined;
  /** If given, jobs have ordering keys, two for each client. */
  ordering?: 'exclusive' | 'in-order';
  weakenNodes?: (nodes: JobNodes, tables: CallbackTables) => JobNodes;
  stall?: Stall;
  /** Dispatchers of each region; two unless given. */
  dispatchers?: number;
  /** Keys of each client in `ordering`; two unless given. */
  keys?: number;
  /** Concurrency of a client, by its number; four unless given. */
  concurrencyOf?: (client: number) => number;
  /** Duration of a call; zero unless given. */
  callMs?: number;
  /** Time after the last job until the end. */
  quietMs?: number;
  createDispatcher?: typeof createDispatcher;
}

/** A time in which stores are slow. A permanent stall excuses no late calls. */
export interface Stall {
  /** Time from the first job until the stall begins. */
  afterMs: number;
  forMs: number;
  /** Returns the duration of the next call of a store during the stall. */
  slowMs: (method: string) => number;
}

/** Calls of ports that are not stores. */
const noStores = new Set(['call', 'publish']);
const clients = 3;

const terms: Omit<ClientTerms, 'limits' | 'ownerId'> = {
  pauseReason: null,
  retries: { strategy: 'fixed', attempts: 4, delayMs: 500 },
  sideline: { afterFailures: 4, failureRate: 0.5, probeEveryMs: 1000, pathPrefixes: [] },
  onGone: 'dead-letter',
  keepsBodies: true,
  finalCodes: [],
  reportWithinMs: null,
  auth: null,
  sign: () => [],
};

/** Simulates schedulers, dispatchers, a receiver and faults. Resolves with descriptions of what went wrong. */
export async function runCallbacks(scenario: CallbackScenario): Promise<string[]> {
  const { chance } = scenario;
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const tables = createCallbackTables(clock, database.scheduled);
  const subject = memoryJobSubject(tables);
  const regions = scenario.regions ?? ['local'];
  const bus = createMemoryBus({ topics: regions.map(topicOf), partitions: 3, laneHighMark: 512 });
  bus.disturb(() => (isTroubled() ? scenario.messageFate() : 'keep'));
  const changes = createMemoryChangeFeed();
  const logger = pino({ level: 'silent' });
  const startMs = clock.nowMs();
  let [stalledFromMs, stalledUntilMs, stallOverMs] = [Infinity, -Infinity, -Infinity];
  const isStalled = () => clock.nowMs() >= stalledFromMs && clock.nowMs() < stalledUntilMs;
  const isTroubled = () => clock.nowMs() - startMs < scenario.faultsLastMs;
  const problems: string[] = [];
  const calls = new Map<string, number[]>();
  const claims = new Map<string, { epoch: number; atMs: number; owner: string }>();
  const recordings = new Map<string, number>();
  const order = createOrderWitness(tables, problems);
  const keysOf = () => {
    const keys = createMemoryKeyAdvancer({ tables });
    return scenario.weakenKeys?.(keys, tables) ?? keys;
  };
  const concurrencies = Array.from(
    { length: clients },
    (_, n) => [clientIdOf(n), scenario.concurrencyOf?.(n)] as const,
  );
  const concurrencyOf = (clientId: string) => new Map(concurrencies).get(clientId) ?? 4;
  let [spawned, stopped] = [0, false];

  async function call(webhookId: string): Promise<CallbackAnswer> {
    calls.set(webhookId, [...(calls.get(webhookId) ?? []), clock.nowMs()]);
    const answered = order.begins(webhookId);
    const answer = isTroubled() ? scenario.answerOf() : wellAnswer;
    // The receiver of ordered jobs continues to work on a call even if its dispatcher has died.
    const { callMs = scenario.ordering ? 100 : 0 } = scenario;
    if (answer === 'hang' || callMs > 0) await clock.sleep(answer === 'hang' ? 1000 : callMs);
    answered();
    return answer === 'hang' ? { kind: 'unanswered', cause: 'no whole answer within 1000 ms' } : answer;
  }

  /** Returns the ledger with a check of every claim and every end at its write. */
  function witnessed(ledger: CallLedger, region: string): CallLedger {
    return {
      flush: async (work) => {
        const before = new Map(claims);
        const flushed = await ledger.flush(work);
        for (const result of work.results) if (flushed.recorded.has(result.jobId)) witnessEnd(result);
        for (const { jobId, dueUs, epoch } of flushed.claimed) {
          if (switchedAtMs <= clock.nowMs() && region !== regions.at(-1))
            problems.push(`${jobId} was claimed in ${region} after the switch`);
          if (tables.fires.get(jobId)?.epoch !== epoch) problems.push(`${jobId} is called without a claim`);
          const earlier = before.get(`${jobId}/${dueUs}`);
          if (earlier && clock.nowMs() - earlier.atMs < callLeaseMs && !isDead(tables, earlier.owner))
            problems.push(`${jobId} was claimed twice within a lease`);
          claims.set(`${jobId}/${dueUs}`, { epoch, atMs: clock.nowMs(), owner: tables.fires.get(jobId)?.owner ?? '' });
        }
        return flushed;
      },
    };
  }

  function witnessEnd({ jobId, dueUs, epoch, verdict }: JobResult): void {
    const claim = claims.get(`${jobId}/${dueUs}`);
    if (claim && claim.epoch !== epoch) problems.push(`${jobId} was ended under epoch ${epoch}, not ${claim.epoch}`);
    if (['called', 'expired', 'dead'].includes(verdict.kind)) recordings.set(jobId, (recordings.get(jobId) ?? 0) + 1);
  }

  function spawn(kind: ProcessKind, region: string): void {
    if (stopped) return;
    const [nth, owner] = [++spawned, `${kind}-${spawned}`];
    let end: () => void = () => undefined;
    const faults = createProcessFaults({
      fateOf: (portCall) => {
        if (isStalled() && !noStores.has(portCall.method)) return chance.pick(slowFates);
        return isTroubled() ? scenario.fateOf({ kind, nth }, portCall) : 'pass';
      },
      onSlow: async ({ method }) => {
        const slowMs = scenario.stall?.slowMs(method) ?? 0;
        if (stalledUntilMs < Infinity) stallOverMs = Math.max(stallOverMs, clock.nowMs() + slowMs);
        if (slowMs > 0) await clock.sleep(slowMs);
      },
      onDeath: () => {
        end();
        void clock.sleep(restartAfterMs).then(() => spawn(kind, region));
      },
      onFreeze: () => void clock.sleep(scenario.frozenMs()).then(() => faults.thaw()),
    });
    if (kind === 'scheduler') startOfferer(owner, region, faults);
    else end = startDispatcher(owner, region, faults);
  }

  function watchOf(region: string, faults: ProcessFaults) {
    const watch = createRegionWatch({
      regions: faults.wrap(createMemoryRegions({ tables })),
      name: region,
      changes,
      clock: faults.wrapClock(clock),
      logger,
    });
    // A process whose region cannot be read offers and claims nothing, and reads again.
    void watch.start().catch(() => clock.sleep(restartAfterMs).then(() => watch.start().catch(() => undefined)));
    return watch;
  }

  function startOfferer(owner: string, region: string, faults: ProcessFaults): void {
    const watch = watchOf(region, faults);
    const due = createMemoryDueReferences({ tables });
    const partitions = createMemoryPartitionLeases({ tables, leases: database.leases, leader: leaderLease });
    const offerer = createJobOfferer({
      due: faults.wrap(scenario.weakenDue?.(due) ?? due),
      partitions: faults.wrap(partitions),
      leases: faults.wrap(createMemoryLeases({ database })),
      publisher: faults.wrap(bus.publisher()),
      dispatchers: faults.wrap(createMemoryDispatchers({ tables })),
      rateOf: () => undefined,
      nameOf: () => undefined,
      region: () => watch.current(),
      changes,
      topic: topicOf(region),
      owner,
      leaseMs: partitionLeaseMs,
      clock: faults.wrapClock(clock),
      logger,
    });
    offerer.start();
    createKeySweeper({ keys: faults.wrap(keysOf()), clock: faults.wrapClock(clock), logger }).start();
  }

  /** Starts a dispatcher. Returns what to do with its membership in the group when it dies. */
  function startDispatcher(owner: string, region: string, faults: ProcessFaults): () => void {
    const own = { tables, owner };
    const watch = watchOf(region, faults);
    const plain = createMemoryCallLedger({ ...own, leaseMs: callLeaseMs, region: () => watch.current() });
    const ledger = witnessed(scenario.weaken ? scenario.weaken(plain, tables) : plain, region);
    const consumer = bus.consumer(`dispatchers-${region}`, [topicOf(region)]);
    const heartbeat = createHeartbeat();
    const plainNodes = createMemoryJobNodes({ tables });
    const nodes = faults.wrap(scenario.weakenNodes?.(plainNodes, tables) ?? plainNodes);
    // Tables in memory send no changes of hosts, so dispatchers rely on regular reads.
    const deaf = createMemoryChangeFeed();
    deaf.lose();
    const dispatcher = (scenario.createDispatcher ?? createDispatcher)({
      changes: deaf,
      heartbeat,
      nodes,
      owner,
      leases: faults.wrap(createMemoryLeases({ database })),
      consumer,
      ledger: faults.wrap(ledger),
      circuits: faults.wrap(createMemoryHostCircuits(own)),
      keys: faults.wrap(keysOf()),
      clients: {
        termsOf: (clientId) => ({
          ...terms,
          ownerId: clientId,
          limits: { clientId, revision: 1, concurrency: concurrencyOf(clientId), timeoutMs: 1000, egress: [] },
        }),
      },
      inviter: createReportInviter({ secretBox: createSecretBox([Buffer.alloc(32, 7)]), publicAddress: undefined }),
      opener: createCallOpener({ secretBox: createSecretBox([]), clock, logger }),
      endpoint: faults.wrap(
        { call: ({ headers }: { headers: string[] }) => call(headers[headers.indexOf('webhook-id') + 1] ?? '') },
        null,
      ),
      deadLetters: { add: () => Promise.resolve() },
      leaseMs: callLeaseMs,
      concurrency: 20,
      clock: faults.wrapClock(clock),
      random: () => chance.next(),
      logger,
    });
    void dispatcher.start();
    const reporter = createNodeReporter({
      nodes,
      dispatcher: scenario.isScarce ? takingLittle(dispatcher) : dispatcher,
      owner,
      region,
      heartbeat,
      clock: faults.wrapClock(clock),
      logger,
    });
    reporter.start();
    return () => consumer.crash();
  }

  for (const region of regions) {
    for (const kind of ['scheduler', 'scheduler'] as const) spawn(kind, region);
    for (let nth = 0; nth < (scenario.dispatchers ?? 2); nth++) spawn('dispatcher', region);
  }
  const switchedAtMs = startMs + (scenario.switchAfterMs ?? Infinity);
  if (scenario.switchAfterMs !== undefined) {
    void clock.sleep(scenario.switchAfterMs).then(() => switchRegions(tables, regions.at(-1) ?? ''));
  }
  // Lateness is measured once dispatchers know of each other.
  if (scenario.latestMs !== undefined) await passTime(clock, 5000);
  if (scenario.stall) {
    stalledFromMs = clock.nowMs() + scenario.stall.afterMs;
    stalledUntilMs = stalledFromMs + scenario.stall.forMs;
  }
  const dues = new Map<string, number>();
  const addedAt = new Map<string, number>();
  for (let number = 0; number < scenario.jobs; number++) {
    await passTime(clock, chance.below(300));
    const dueInMs = chance.happens(0.3) ? -scenario.lateMs() : chance.below(3000);
    const { ordering } = scenario;
    const keyed = ordering && {
      key: `merchant-${chance.below(scenario.keys ?? 2)}`,
      isInOrder: ordering === 'in-order',
    };
    const [jobId, clientId] = [jobIdOf(scenario.numberOf?.(number) ?? number), clientIdOf(chance.below(clients))];
    dues.set(jobId, clock.nowMs() + dueInMs);
    addedAt.set(jobId, clock.nowMs());
    const url = `https://host-${chance.below(3)}.example/`;
    const priority = scenario.priorityOf?.(number);
    await subject.add([{ jobId, clientId, dueInMs, url, priority, ...(keyed && { ordering: keyed }) }]);
    if (keyed) {
      order.accepted({ jobId, clientId, dueMs: clock.nowMs() + dueInMs, acceptedMs: clock.nowMs(), ...keyed });
      // The process that accepts the other jobs dies before it advances the key.
      if (number % 3 > 0) await keysOf().advance([{ clientId, key: keyed.key }]);
    }
    // The other notifications are lost, as are those of retries and of the region switch.
    if (number % 2 === 0) changes.announce('jobs');
  }
  // If lateness is bounded, a job that only the sweep would find after 150 s counts as never called.
  const { quietMs = scenario.latestMs === undefined ? 150_000 : 120_000 } = scenario;
  await passTime(clock, scenario.faultsLastMs + quietMs);
  stopped = true;

  for (const [jobId, dueMs] of dues) {
    const called = calls.get(publicId('job', jobId)) ?? [];
    const ended = tables.ended.filter((row) => row.jobId === jobId);
    if (ended.length !== 1) problems.push(`${jobId} has ${ended.length} ends, and ${called.length} calls`);
    if (recordings.get(jobId) !== 1) problems.push(`${jobId} was recorded ${recordings.get(jobId) ?? 0} times`);
    if (called.length === 0) problems.push(`${jobId} was never called`);
    const lateMs = Math.min(...called) - Math.max(dueMs, addedAt.get(jobId) ?? 0, stallOverMs);
    if (lateMs > (scenario.latestMs ?? Infinity)) problems.push(`${jobId} was called ${lateMs} ms late`);
    if (called.some((atMs) => atMs < dueMs)) problems.push(`${jobId} was called before its time`);
  }
  const counted = [...tables.totals.values()].reduce(
    (sum, { called, dead, expired }) => sum + called + dead + expired,
    0,
  );
  if (counted !== dues.size) problems.push(`the totals count ${counted} of ${dues.size}`);
  if (tables.jobs.size + tables.fires.size > 0)
    problems.push(`${tables.jobs.size} jobs and ${tables.fires.size} fires are left`);
  return problems;
}

export const wellAnswer: CallbackAnswer = { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.alloc(0) };

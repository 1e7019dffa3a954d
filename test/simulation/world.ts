import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { createScheduler } from '../../services/scheduler/scheduler.ts';
import { createTrigger } from '../../services/trigger/trigger.ts';
import { createWorker } from '../../services/worker/worker.ts';
import type { CampaignDefinition } from '../../shared/contracts/campaigns.ts';
import { actionTypeConfig, type EngineConfig } from '../../shared/contracts/engine-config.ts';
import { stepLines } from '../../shared/domain/outcomes.ts';
import { isTerminal } from '../../shared/domain/run-states.ts';
import { topicNames, type Shard } from '../../shared/domain/shard.ts';
import type { BatchEndpoint } from '../../services/worker/ports/batch-endpoint.ts';
import type { OutboxSweep } from '../../services/trigger/ports/outbox-sweep.ts';
import type { TopicBacklogs } from '../../shared/ports/message-bus.ts';
import type { StepLedger } from '../../shared/ports/step-ledger.ts';
import { createMemoryBus } from '../support/memory/memory-bus.ts';
import { createMemoryCampaignStore } from '../support/memory/campaign-store.ts';
import { createMemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryDeadLetters } from '../support/memory/dead-letters.ts';
import { createMemoryDueJobs } from '../support/memory/due-jobs.ts';
import { createMemoryFeedContexts } from '../support/memory/feed-contexts.ts';
import { createMemoryFeedStore } from '../support/memory/feed-store.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import { createMemoryOutboxSweep } from '../support/memory/outbox-sweep.ts';
import { createMemoryRetention } from '../support/memory/retention.ts';
import { createMemoryRunReports } from '../support/memory/run-reports.ts';
import { createMemoryRunStore } from '../support/memory/run-store.ts';
import { createMemoryStepEndings } from '../support/memory/step-endings.ts';
import { createMemoryStepHolds } from '../support/memory/step-holds.ts';
import { createMemoryStepLedger } from '../support/memory/step-ledger.ts';
import { createSettableClock } from '../support/settable-clock.ts';
import type { Evidence } from '../support/evidence.ts';
import { createCrashPoints, type CrashPlan, type CrashPoints } from './crash-points.ts';
import { createSimulatedEndpoint, createSimulatedSegmentation } from './simulated-services.ts';

export type ProcessName = 'scheduler' | 'trigger' | 'worker';

/** Protections that a negative control takes away, to show that the checker misses them. */
export interface Weakening {
  endpoint?: (endpoint: BatchEndpoint) => BatchEndpoint;
  ledger?: (ledger: StepLedger) => StepLedger;
  outboxSweep?: (sweep: OutboxSweep) => OutboxSweep;
}

export interface Scenario {
  /** Users by country; each batch holds 100. */
  audience: ReadonlyMap<string, readonly string[]>;
  fails: (step: number, user: string) => boolean;
  /** Which process dies, and at which of its port calls. Its successor lives. */
  crash?: { process: ProcessName; plan: CrashPlan };
  weakening?: Weakening;
}

export interface Outcome {
  evidence: Evidence;
  /** Port calls of the first process of each name until the run had ended. */
  calls: Record<ProcessName, number>;
  /** Whether the planned crash happened. */
  crashed: boolean;
}

const steps = ['award-reward', 'send-message'];
const leaseMs = 5000;
/** Simulated time after which a run that has not ended counts as forgotten. */
const patienceMs = 10 * 60_000;
const logger = pino({ level: 'silent' });
const topics = topicNames('sim');

/** Runs one campaign from its start to quiescence: the real services over in-memory ports, with time that moves only when all is quiet. */
export async function simulate({ audience, fails, crash, weakening = {} }: Scenario): Promise<Outcome> {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const countries = [...audience.keys()];
  const shards = new Map<string, Shard>(
    steps.flatMap((actionType) =>
      countries.map((country) => [topics.shard({ actionType, country }), { actionType, country }]),
    ),
  );
  const bus = createMemoryBus({ topics: [...shards.keys()], partitions: 2 });
  const endpoint = createSimulatedEndpoint({ steps: steps.length, fails });
  const segmentation = createSimulatedSegmentation(audience);
  const config = engineConfigFor(countries);
  let started = 0;
  let isOver = false;

  function start(name: ProcessName, plan: CrashPlan | null): CrashPoints {
    const owner = `${name}-${++started}`;
    const consumer = bus.consumer('sim.worker', [...shards.keys()]);
    const points = createCrashPoints(plan, () => {
      if (name === 'worker') consumer.crash();
      // A supervisor brings it back; the crash was planned once.
      if (!isOver) queueMicrotask(() => start(name, null));
    });
    const shared = { owner, topics, clock, logger, random: () => 0.5, publisher: points.wrap(bus.publisher()) };
    if (name === 'scheduler') {
      createScheduler({
        ...shared,
        leases: points.wrap(createMemoryLeases({ database })),
        dueJobs: points.wrap(createMemoryDueJobs({ database })),
        leaseMs,
        pollMs: 200,
      }).start();
    } else if (name === 'trigger') {
      const sweep = createMemoryOutboxSweep({ database });
      createTrigger({
        ...shared,
        runStore: points.wrap(createMemoryRunStore({ database })),
        feedStore: points.wrap(createMemoryFeedStore({ database })),
        outboxSweep: points.wrap(weakening.outboxSweep?.(sweep) ?? sweep),
        segmentation: points.wrap(segmentation),
        leases: points.wrap(createMemoryLeases({ database })),
        stepEndings: points.wrap(createMemoryStepEndings({ database })),
        retention: points.wrap(createMemoryRetention({ database })),
        retentionDays: { users: 14, steps: 30, failures: 90, runs: 400 },
        topicAdmin: points.wrap(bus.admin),
        topicBacklogs: points.wrap(unknownBacklogs),
        topicTerms: { partitions: 2, replicationFactor: 1 },
        pageSize: 100,
        feedLeaseMs: leaseMs,
        stallMs: 5000,
      }).start();
    } else {
      const ledger = createMemoryStepLedger({ database, owner, leaseMs });
      void createWorker({
        ...shared,
        consumer: points.wrap(consumer),
        ledger: points.wrap(weakening.ledger?.(ledger) ?? ledger),
        holds: points.wrap(createMemoryStepHolds({ database })),
        contexts: points.wrap(createMemoryFeedContexts({ database })),
        endpoint: points.wrap(weakening.endpoint?.(endpoint) ?? endpoint),
        deadLetters: points.wrap(createMemoryDeadLetters({ database })),
        shards,
        config,
        leaseMs,
        concurrency: 4,
      }).start();
    }
    return points;
  }

  const planOf = (name: ProcessName) => (crash?.process === name ? crash.plan : null);
  const first = {
    scheduler: start('scheduler', planOf('scheduler')),
    trigger: start('trigger', planOf('trigger')),
    worker: start('worker', planOf('worker')),
  };
  const campaigns = createMemoryCampaignStore({ database });
  const { campaignId } = await campaigns.create(definitionFor(countries));
  await campaigns.start(campaignId, null);

  const hasEnded = () => [...database.runs.values()].some((run) => isTerminal(run.state));
  const giveUpAtMs = clock.nowMs() + patienceMs;
  while (!hasEnded() && clock.nowMs() < giveUpAtMs) {
    await quiet();
    const wakeMs = clock.nextWakeMs();
    if (wakeMs === undefined) break;
    clock.advance(Math.max(0, wakeMs - clock.nowMs()));
  }
  isOver = true;
  const calls = { scheduler: first.scheduler.calls(), trigger: first.trigger.calls(), worker: first.worker.calls() };
  const crashed = crash !== undefined && first[crash.process].dead;
  for (const points of Object.values(first)) points.kill();
  const evidence = await gatherEvidence(database, audience, endpoint.effects);
  return { evidence, calls, crashed };
}

/** A broker that does not say what is left: the sweep goes by what stands still. */
const unknownBacklogs: TopicBacklogs = { unhandled: () => Promise.resolve(new Map()) };

/** Everything that can happen without time moving has happened. */
async function quiet(): Promise<void> {
  await nextTurn();
}

async function gatherEvidence(
  database: ReturnType<typeof createMemoryDatabase>,
  audience: Scenario['audience'],
  effects: Evidence['effects'],
): Promise<Evidence> {
  const reports = createMemoryRunReports({ database });
  const [runId] = [...database.runs.keys()];
  const snapshot = runId === undefined ? undefined : await reports.snapshot(runId);
  const failures = runId === undefined ? undefined : await reports.failures(runId, {}, 100_000, null);
  return {
    audience,
    runState: snapshot?.state ?? 'missing',
    lines: new Map(
      snapshot?.countries.map(({ country, fedUsers, totals }) => [country, stepLines(fedUsers, totals, steps.length)]),
    ),
    effects,
    failures: failures?.items ?? [],
  };
}

function definitionFor(countries: string[]): CampaignDefinition {
  return {
    name: 'Simulated',
    countries,
    audience: { include: [{ segment: 'everybody' }] },
    chain: steps.map((action) => ({ action, params: {} })),
    schedule: { type: 'now' },
    deadlineSeconds: 3600,
    priority: 'normal',
  };
}

function engineConfigFor(countries: string[]): EngineConfig {
  const actionType = actionTypeConfig.parse({ url: 'http://unused', class: 'B', timeoutMs: 1000, concurrency: 4 });
  return {
    countries,
    segmentation: { url: 'http://unused', timeoutMs: 1000, pageSize: 100 },
    actionTypes: Object.fromEntries(steps.map((name) => [name, actionType])),
    partitionsPerShard: 2,
    replicationFactor: 1,
  };
}

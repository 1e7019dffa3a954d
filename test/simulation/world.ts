import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CampaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { isTerminal } from '../../shared/domain/run/run-states.ts';
import { quietAt, type QuietRule } from '../../shared/domain/run/quiet-hours.ts';
import { lastCallSentWithinMs, type ControlVerb } from '../../shared/domain/run/run-control.ts';
import { topicNames, type Shard } from '../../shared/domain/endpoint/shard.ts';
import { reasons } from '../../shared/domain/step/reasons.ts';
import type { Evidence } from '../support/evidence.ts';
import { suppress } from '../support/memory/suppressions.ts';
import { createMemoryBus } from '../support/memory/memory-bus.ts';
import { createMemoryCampaignStore } from '../support/memory/campaign-store.ts';
import { createMemoryDatabase, type MemoryDatabase } from '../support/memory/memory-database.ts';
import type { RunRow } from '../support/memory/run-tables.ts';
import type { MessageFate } from '../support/memory/memory-topics.ts';
import { seedMemoryRegistry } from '../support/memory/registry.ts';
import { createSettableClock } from '../support/settable-clock.ts';
import { childFindings, retryFailed } from './child-runs.ts';
import { createControls } from './controls.ts';
import { createForger } from './forger.ts';
import { gatherEvidence } from './gather-evidence.ts';
import type { Fate, PortCall } from './process-faults.ts';
import type { ProcessName, Surroundings, Weakening } from './processes.ts';
import {
  createScriptedEndpoint,
  type Keeping,
  type Manner,
  type ScriptedEndpoint,
  type StatusManner,
} from './scripted-endpoint.ts';
import type { Chance } from './seeded.ts';
import { createSimulatedBudgets, type BudgetPlan } from './simulated-budgets.ts';
import { otherCampaigns, createSimulatedCaps, type PlannedCap } from './simulated-caps.ts';
import { createSupervisor } from './supervisor.ts';
import { definitionFor, engineConfigFor, timeoutMs } from './simulated-campaign.ts';
import { createVariantWitness } from './variant-witness.ts';
import { createSimulatedSegmentation, type SegmentUsers } from './simulated-segmentation.ts';

export interface Scenario {
  /** Users by country, held-out ones included; each batch holds 100. */
  audience: ReadonlyMap<string, readonly string[]>;
  /** Number of the step, from 1. */
  steps: number;
  keeping: Keeping;
  /** Returns true for users that fail in a step. Fewer users may fail in child runs. */
  fails: (step: number, user: string, isChildRun: boolean) => boolean;
  deadlineSeconds: number;
  /** Milliseconds from the start of the run until its cancellation; null for never. */
  cancelAfterMs: number | null;
  /** Pauses of the run: milliseconds from its start, and duration. */
  pauses: readonly { afterMs: number; forMs: number }[];
  /**
   * Returns the control action on the run right before a port call, or null. A paused run continues after some time.
   */
  controlAt?: (process: { name: ProcessName; nth: number }, call: PortCall) => ControlVerb | null;
  /** User whose call always kills the worker that makes it. The step has to end nevertheless. */
  poison: string | null;
  chance: Chance;
  /** Duration in which faults of all kinds happen. */
  faultsLastMs: number;
  mannerOf: () => Manner;
  statusMannerOf: () => StatusManner;
  messageFate: () => MessageFate;
  /** `nth` counts the processes of a name, from 1. */
  fateOf: (process: { name: ProcessName; nth: number }, call: PortCall) => Fate;
  frozenMs: () => number;
  /** True if messages arrive for steps whose turn has not come. */
  strays: boolean;
  /** True if messages arrive with false lists of lost users. */
  forged?: boolean;
  weakening?: Weakening;
  /** Sources of the audience; one segment if absent. */
  sources?: AudienceSources;
  /** True if the failed users are retried in a child run, with faults for as long as before. */
  retried?: boolean;
  /** Returns true for users on the suppression list of the step's action type. Absent: no user is on it. */
  suppressed?: ((step: number, user: string) => boolean) | undefined;
  /** Every step has a check that refuses these users; none has one when absent. */
  refused?: ((step: number, user: string) => boolean) | undefined;
  /** Duration from the start in which quiet hours make all actions wait. */
  quietForMs?: number | undefined;
  /** None when absent. */
  budget?: BudgetPlan | null;
  /** True if each step has variants. */
  varied?: boolean;
  /** Caps over the first campaign, and over others that run at the same time with the same users. None when absent. */
  caps?: readonly PlannedCap[] | undefined;
}

export interface AudienceSources {
  usersOf: SegmentUsers;
  /** Creates lists and earlier runs, and returns the audience that names them. */
  define: (database: MemoryDatabase) => Promise<CampaignDefinition['audience']>;
  heldOut: ReadonlySet<string>;
}

export interface Outcome {
  evidence: Evidence;
  /** Port calls of the first process of each name until the run had ended. */
  calls: Record<ProcessName, number>;
  /** Number of port calls with another fate than `pass`. */
  faults: number;
  /** Calls that began well after a pause and before its end, after the cancellation, or after the deadline. */
  lateCalls: number;
  /** Number of check requests about batches whose call was lost. */
  requestInDoubt: number;
  /** Faults of the child run. */
  child: readonly string[];
  /** Faults of the budgets. */
  budgets: readonly string[];
  /** Faults of the caps. */
  caps: readonly string[];
  /** Number of users that were not called because of a cap, in all campaigns. */
  capped: number;
  /** Users that were called with parameters of another variant. */
  variants: readonly string[];
  /** Number of times that a budget was raised because the run had paused for it. */
  raised: number;
  /** Number of users that were left out because an exclusion names them. */
  excluded: number;
  /** Simulated milliseconds from the start to the end of the run. */
  tookMs: number;
}

const live: Record<ProcessName, number> = { scheduler: 1, trigger: 2, worker: 2 };
/** Simulated time after which a run that has not ended counts as forgotten. */
const patienceMs = 15 * 60_000;
const topics = topicNames('sim');

/**
 * Runs one campaign from its start until nothing is left to do: the real services over ports in memory. Time advances
 * only when all work is done.
 */
export async function simulate(scenario: Scenario): Promise<Outcome> {
  const { audience, chance, weakening = {}, sources } = scenario;
  const clock = createSettableClock();
  const startMs = clock.nowMs();
  let faultsBeganMs = startMs;
  const isFaulty = () => clock.nowMs() < faultsBeganMs + scenario.faultsLastMs;
  const database = createMemoryDatabase(clock);
  const countries = [...audience.keys()];
  const chain = Array.from({ length: scenario.steps }, (_, index) => `action-${index + 1}`);
  const shards = new Map<string, Shard>(
    chain.flatMap((actionType) =>
      countries.map((country) => [topics.shard({ actionType, country }), { actionType, country }]),
    ),
  );
  const bus = createMemoryBus({ topics: [...shards.keys()], partitions: 2 });
  bus.disturb(() => (isFaulty() ? scenario.messageFate() : 'keep'));
  const ofAudience = [...audience.values()].flat();
  const suppressed = chain.map((_, index) => {
    return new Set(ofAudience.filter((user) => scenario.suppressed?.(index + 1, user)));
  });
  const withheld = suppressed.map((users, index) => {
    return new Set([...users, ...ofAudience.filter((user) => scenario.refused?.(index + 1, user))]);
  });
  suppressed.forEach((users, index) => {
    for (const user of users) suppress(database, chain[index] ?? '', user, null);
  });
  const quietHours = quietFrom(startMs, scenario.quietForMs);
  const budgets = createSimulatedBudgets(scenario.budget ?? null, database);
  const variants = createVariantWitness();
  const caps = createSimulatedCaps(scenario.caps ?? [], chain, database);
  const endpoint = createScriptedEndpoint({
    ...scenario,
    onApplied: budgets.onApplied,
    mannerOf: (call) => {
      if (scenario.varied) variants.onCall(call);
      return isFaulty() ? scenario.mannerOf() : 'answer';
    },
    statusMannerOf: () => (isFaulty() ? scenario.statusMannerOf() : 'answer'),
    clock,
    timeoutMs,
  });
  const config = engineConfigFor(chain, countries, scenario.keeping);
  seedMemoryRegistry(database, config);
  const surroundings: Surroundings = {
    database,
    bus,
    topics,
    shards,
    endpoint,
    weakening,
    config,
    quietHours,
    segmentation: createSimulatedSegmentation(sources?.usersOf ?? ((_, country) => audience.get(country) ?? [])),
    random: () => chance.next(),
  };
  const forger = createForger({ database, steps: scenario.steps, topicOf: (shard) => topics.shard(shard) });
  const controls = createControls(scenario, database, startMs);
  const supervisor = createSupervisor(scenario, surroundings, isFaulty, controls);
  for (const [name, count] of Object.entries(live)) {
    for (let nth = 1; nth <= count; nth++) if (isProcessName(name)) supervisor.start(name);
  }
  const campaigns = createMemoryCampaignStore({ database });
  const definition = definitionFor(chain, countries, scenario);
  const defined = sources && { audience: await sources.define(database) };
  const { campaignId } = await campaigns.create({ ...definition, ...defined });
  await campaigns.start(campaignId, null);
  for (let beside = 0; scenario.caps && beside < otherCampaigns; beside++)
    await campaigns.start((await campaigns.create(definition)).campaignId, null);

  const run = () => [...database.runs.values()].find((row) => row.campaignId === campaignId);
  const isOver = (row: RunRow | undefined) =>
    !isFaulty() &&
    supervisor.frozen() === 0 &&
    isTerminal(row?.state ?? 'preparing') &&
    (!scenario.caps || [...database.runs.values()].every(({ state }) => isTerminal(state)));
  let nextDisturbanceMs = startMs;
  const disturbances = () => [
    ...(scenario.forged ? forger.lies() : []),
    ...(scenario.strays ? forger.strays(chance) : []),
  ];
  async function passUntilOver(ofRun: () => RunRow | undefined): Promise<void> {
    const giveUpMs = clock.nowMs() + patienceMs;
    while (!isOver(ofRun()) && clock.nowMs() < giveUpMs) {
      await nextTurn();
      if (clock.nowMs() >= nextDisturbanceMs) {
        nextDisturbanceMs = clock.nowMs() + 1000;
        if (chance.happens(0.5) || !isFaulty()) bus.releaseDelayed();
        if (isFaulty()) await bus.publisher().publish(disturbances());
      }
      controls.askDue();
      if (budgets.raiseWherePaused()) controls.ask('resume', 0);
      const wakeMs = clock.nextWakeMs();
      if (wakeMs === undefined) break;
      clock.advance(Math.max(0, wakeMs - clock.nowMs()));
    }
  }
  await passUntilOver(run);
  const parent = run();
  const childId = scenario.retried && parent ? await retryFailed(database, parent) : null;
  if (childId !== null) {
    faultsBeganMs = clock.nowMs();
    await passUntilOver(() => database.runs.get(childId));
  }
  // A process whose freeze ended last may still write.
  await nextTurn();
  const deadlineMs = startMs + scenario.deadlineSeconds * 1000;
  // Quiet hours have whole minutes, so they may end before the requested time.
  const quietUntilMs = quietAt(quietHours, { actionType: '', country: '' }, startMs)?.untilMs ?? startMs;
  const quiet = { fromMs: startMs - lastCallSentWithinMs - 1, untilMs: quietUntilMs };
  const stops = [...controls.stops(), quiet, { fromMs: deadlineMs, untilMs: Infinity }];
  const isLate = (atMs: number) =>
    stops.some(({ fromMs, untilMs }) => atMs > fromMs + lastCallSentWithinMs && atMs < untilMs);
  supervisor.killAll();
  const evidence = await gatherEvidence(
    database,
    parent?.id,
    { ...scenario, suppressed: withheld },
    {
      ...endpoint,
      effects: endpoint.effectsIn(publicId('run', parent?.id ?? '')),
    },
  );
  for (const { user, step, reason } of evidence.failures) if (reason === reasons.cap) withheld[step - 1]?.add(user);
  return {
    evidence,
    calls: supervisor.calls(),
    requestInDoubt: endpoint.requestedInDoubt(),
    child: findingsOfChild(database, [parent, database.runs.get(childId ?? '')], scenario.steps, endpoint),
    budgets: budgets.findings(),
    caps: caps.findings(endpoint),
    capped: caps.capped(),
    variants: variants.findings(),
    raised: budgets.raised(),
    excluded: [...database.feeds.values()].reduce((sum, feed) => sum + feed.excludedUsers, 0),
    faults: supervisor.faults(),
    lateCalls: endpoint.beganAtMs.filter(isLate).length,
    tookMs: clock.nowMs() - startMs,
  };
}

function quietFrom(startMs: number, forMs = 0): QuietRule[] {
  const at = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  if (forMs < 60_000) return [];
  return [{ actionType: '*', from: at(startMs), until: at(startMs + forMs), zone: 'UTC', then: 'wait' }];
}

function findingsOfChild(
  database: MemoryDatabase,
  [parent, child]: readonly [RunRow | undefined, RunRow | undefined],
  steps: number,
  endpoint: ScriptedEndpoint,
): string[] {
  if (!parent || !child) return [];
  const ofChild = endpoint.effectsIn(publicId('run', child.id));
  return childFindings(database, [parent, child], steps, { ofBoth: endpoint.effects, ofChild });
}

function isProcessName(name: string): name is ProcessName {
  return name in live;
}

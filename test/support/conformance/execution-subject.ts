import { feedsByVariant } from '../../../services/trigger/prepare/feeds-by-variant.ts';
import type { CampaignDefinition, Canary } from '../../../shared/contracts/campaigns/campaigns.ts';
import { usualBatchUsers } from '../../../shared/domain/step/batch.ts';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import type { capCountings } from '../../../shared/domain/step/caps.ts';
import { digestOfLost } from '../../../shared/domain/step/lost-users.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { Budget } from '../../../shared/contracts/campaigns/budgets.ts';
import type { BudgetStore } from '../../../services/api/runs/budget-store.port.ts';
import type { CampaignStore } from '../../../services/api/campaigns/campaign-store.port.ts';
import type { RunControl } from '../../../services/api/runs/control/run-control.port.ts';
import type { RunReports } from '../../../services/api/runs/run-reports.port.ts';
import type { Retries } from '../../../services/api/runs/retries.port.ts';
import type { FeedStore, OwnedFeed } from '../../../services/trigger/ports/feed-store.ts';
import type { OutboxSweep } from '../../../services/trigger/ports/outbox-sweep.ts';
import type { Reconciliation } from '../../../services/trigger/ports/reconciliation.ts';
import type { StepEndings } from '../../../services/trigger/ports/step-endings.ts';
import type { UnstartedSteps } from '../../../services/worker/intake/unstarted-steps.port.ts';
import type { DueJobs } from '../../../services/scheduler/ports/due-jobs.ts';
import type { RunHistory } from '../../../services/trigger/ports/run-history.ts';
import type { RunStore, RunTally } from '../../../services/trigger/ports/run-store.ts';
import type { EndpointGuards } from '../../../shared/ports/endpoint-guards.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import type { StepHolds } from '../../../shared/ports/step-holds.ts';
import type { FeedContexts } from '../../../shared/ports/feed-contexts.ts';
import type {
  ChildBatch,
  ClaimedStep,
  StepBegin,
  StepDone,
  StepLedger,
  StepResult,
  StepRef,
  StepWaiting,
  UserFailure,
} from '../../../shared/ports/step-ledger.ts';
import type { ExecutionRows } from './execution-rows.ts';
import { campaignDefinitionOf } from './run-rows.ts';

/** The stores of the execution path over one empty database. */
export interface ExecutionSubject {
  campaigns: CampaignStore;
  budgets: BudgetStore & {
    /** Writes budgets without checks. */
    change(campaignId: string, budgets: readonly Budget[], detail: Readonly<Record<string, unknown>>): Promise<void>;
  };
  runs: RunStore;
  runHistory: RunHistory;
  reports: RunReports;
  retries: Retries;
  control: RunControl;
  leases: Leases;
  dueJobs: DueJobs;
  feeds: FeedStore;
  contexts: FeedContexts;
  unstarted: UnstartedSteps;
  /** Puts users on a suppression list. @param list an action type, or `allActionTypes` */
  suppress(list: string, users: readonly string[], note: string | null): Promise<void>;
  /** Replaces all caps. `countsFrom` is now unless given. */
  setCaps(caps: readonly SeededCap[]): Promise<void>;
  /** Turns a run that has not begun into a dry run. */
  makeDry(runId: string): Promise<void>;
  sweep: OutboxSweep;
  endings: StepEndings;
  reconciliation: Reconciliation;
  holds: StepHolds;
  /** Guards as worker `a` has them. */
  guards: EndpointGuards;
  rows: ExecutionRows;
  /** Returns the ledger of this worker. Its leases last `leaseMs`. */
  ledgerOf(worker: 'a' | 'b'): StepLedger;
  /** Passes time for leases, due times and deadlines. */
  passTime(ms: number): Promise<void>;
}

/** A cap as the ledger reads it. */
export interface SeededCap {
  name: string;
  actionTypes: readonly string[];
  /** Undefined means all countries. */
  countries?: readonly string[];
  effects: number;
  days: number;
  counting: (typeof capCountings)[number];
  /** Ids of campaigns. */
  exempt?: readonly string[];
  countsFrom?: Date;
}

export type MakeExecutionSubject = () => Promise<ExecutionSubject>;

export const leaseMs = 30_000;

/** Creates a run in state `preparing` that is due now, as the scheduler does. */
export async function createRun(
  { campaigns, leases, dueJobs }: ExecutionSubject,
  changes: Partial<CampaignDefinition> = {},
  canaryOfStart: Canary | null = null,
): Promise<{ campaignId: string; runId: string }> {
  const definition = campaignDefinitionOf({ countries: ['SG'], deadlineSeconds: 30 * 86_400, ...changes });
  const { campaignId } = await campaigns.create(definition);
  await campaigns.start(campaignId, null, undefined, null, canaryOfStart);
  const lease = await leases.acquire('scheduler', 'a', 60_000);
  const fired = lease ? await dueJobs.fire(lease, 100) : undefined;
  const run = fired?.runs.find((each) => each.campaignId === campaignId);
  if (!run) throw new Error('the campaign was not due');
  return { campaignId, runId: run.runId };
}

/**
 * Creates a run in state `running` with one feed per country and variant. Trigger `t` owns the feeds, and no user is
 * fed.
 */
export async function startRun(
  subject: ExecutionSubject,
  changes: Partial<CampaignDefinition> = {},
): Promise<{ campaignId: string; runId: string; owned: OwnedFeed[] }> {
  const { campaignId, runId } = await createRun(subject, changes);
  await subject.runs.begin(
    runId,
    (changes.countries ?? ['SG']).flatMap((country) => {
      const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
      return feedsByVariant(
        { country, audience },
        { runId, definition: campaignDefinitionOf(changes), canary: changes.canary ?? null },
      );
    }),
  );
  const owned = await subject.feeds.claim('t', leaseMs, 1000, 'all');
  return { campaignId, runId, owned: owned.filter((feed) => feed.runId === runId) };
}

/** Creates a running run with one feed that is fed completely with these batches. */
export async function startFedRun(
  subject: ExecutionSubject,
  batches: readonly (readonly string[])[],
  changes: Partial<CampaignDefinition> = {},
): Promise<{ campaignId: string; runId: string; feedId: string; steps: StepRef[] }> {
  const { campaignId, runId, owned } = await startRun(subject, changes);
  const [feed] = owned;
  if (!feed) throw new Error('the run has no feed');
  await subject.feeds.writePages({
    feedId: feed.feedId,
    token: feed.token,
    batches: batches.map((users, index) => ({ batchNo: index + 1, users })),
    invalidUsers: [],
    cursor: batches.at(-1)?.at(-1) ?? null,
    complete: true,
    staysStalled: false,
  });
  return {
    campaignId,
    runId,
    feedId: feed.feedId,
    steps: batches.map((_, index) => ({ feedId: feed.feedId, batchNo: index + 1, step: 1 })),
  };
}

/** Returns user ids in byte order: `u001`, `u002`, and so on. */
export function someUsers(count: number, from = 1): string[] {
  return Array.from({ length: count }, (_, index) => `u${String(from + index).padStart(3, '0')}`);
}

/** Returns full batches of consecutive users. */
export function someBatches(count: number, size = usualBatchUsers): string[][] {
  return Array.from({ length: count }, (_, index) => someUsers(size, index * size + 1));
}

/** Claims one step, which must be free. */
export async function claimOne(ledger: StepLedger, ref: StepRef): Promise<ClaimedStep> {
  const { claimed } = await ledger.flush({ results: [], claims: [ref], begins: [] });
  const [step] = claimed;
  if (!step) throw new Error(`step ${ref.step} of batch ${ref.batchNo} was not free`);
  return step;
}

export async function record(ledger: StepLedger, ...records: StepResult[]): Promise<StepResult[]> {
  return (await ledger.flush({ results: records, claims: [], begins: [] })).recorded;
}

/** Returns a result in which all users of a claimed step succeeded, with changes. */
export function doneOf(step: ClaimedStep, changes: Partial<StepDone> = {}): StepDone {
  const { feedId, batchNo, epoch } = step;
  const failures = changes.failures ?? [];
  const children = changes.children ?? [];
  const users = usersOf(step.users);
  const lost = [...failures.map(({ user }) => user), ...children.flatMap((child) => child.users)];
  return {
    feedId,
    batchNo,
    step: step.step,
    state: 'done',
    epoch,
    rest: 'succeeded',
    restUsers: users.length - lost.length,
    lostDigest: digestOfLost(lost),
    failures,
    attempts: step.attempts + 1,
    refused: 0,
    children,
    ...changes,
  };
}

/** Returns a child batch that is due at once after one attempt, with changes. */
export function childOf(users: readonly string[], changes: Partial<ChildBatch> = {}): ChildBatch {
  return { users, delayMs: 0, attempts: 1, open: false, claim: false, ...changes };
}

/** Returns a result that releases the step for five seconds after an answered call, with changes. */
export function waitingOf(
  { feedId, batchNo, step, epoch }: StepBegin,
  changes: Partial<StepWaiting> = {},
): StepWaiting {
  const key = { feedId, batchNo, step, epoch };
  return { ...key, state: 'waiting', delayMs: 5000, open: false, answered: true, cause: null, ...changes };
}

export function failed(user: string, changes: Partial<UserFailure> = {}): UserFailure {
  return { user, outcome: 'failed', reason: 'out-of-stock', detail: null, ...changes };
}

/** Returns the running totals of the run's only feed. */
export async function totalsOf({ runs }: ExecutionSubject, runId: string): Promise<StepTotals[]> {
  const [tally] = await runs.tallies([runId]);
  return tally?.feeds[0]?.totals ?? [];
}

/** Returns the tallies of all runs that are running or being cancelled, oldest first. */
export async function talliesOf({ runs }: ExecutionSubject): Promise<RunTally[]> {
  const listed = await runs.listRuns(null, 0);
  return runs.tallies(listed.runs.map(({ runId }) => runId));
}

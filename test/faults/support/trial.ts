import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { readLedger, type Ledger } from '../../../services/sandbox/ledger/ledger.ts';
import type { FaultSettings } from '../../../services/sandbox/faults/fault-rules.ts';
import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import { startInstallation, type Installation, type InstallationOptions } from '../../e2e/installation.ts';
import type { FaultControl } from '../../mutations/fault-controls.ts';
import { within } from '../../../shared/runtime/within.ts';
import { freezeProcesses, thawProcesses } from '../../support/freeze-processes.ts';
import { violations, type Allowance, type Evidence } from '../../support/evidence.ts';
import { breakTopics, type BrokenTopics } from './broken-topics.ts';
import { publishFigures } from './figures.ts';
import { countOf, createInjections, type Injection, type Injections } from './injections.ts';
import { tailLedger } from './ledger-tail.ts';
import { measureRun, servedWithin, slowestRepeat } from './measure-run.ts';
import { observe, type Observer } from './observer.ts';
import { describeRepeats } from './repeated-calls.ts';
import { createSupervisor } from './supervisor.ts';
import { treeWithout } from './tree-without.ts';
import { until } from './until.ts';

/** Scenario of a run, and the deviations that it allows. */
export interface Verdict {
  rows: string;
  scenario: string;
  segment: string;
  allow?: Partial<Allowance>;
  /** Users that gates may suppress, by step from 1; none by default. */
  suppressed?: readonly ReadonlySet<string>[];
  /** Figures of the scenario's own. */
  measured?: Record<string, number>;
  /** Processes that may end by themselves, for a supervisor to start them again. */
  ownEnds?: number;
  /** Injected faults, if the scenario records them itself. */
  injected?: readonly Injection[];
}

/**
 * An installation under fault with three independent records: the engine's database, the sandbox's ledger, and the list
 * of injected faults.
 */
export interface Trial {
  readonly muster: Installation;
  readonly injections: Injections;
  readonly database: Observer;
  readonly topics: BrokenTopics;
  topic(actionType: string, country: string): string;
  /** Replaces the faults of the sandbox by these rules; without rules, ends all faults. */
  switchFaults(rules?: FaultSettings): Promise<void>;
  faultHits(): Promise<Record<string, number>>;
  kill(...names: string[]): Promise<void>;
  /** Stops a process by SIGTERM and returns its exit code. */
  stop(name: string): Promise<number | NodeJS.Signals | undefined>;
  restart(...names: string[]): Promise<void>;
  freeze(name: string): void;
  thaw(name: string): void;
  names(service: string): string[];
  /** Reads the whole ledger. For frequent reads, `batchesCalled` is cheaper. */
  ledger(): Promise<Ledger>;
  batchesCalled(runId: string, step: number): Promise<number>;
  /** Resolves when this many batches of a step have been served. */
  awaitCalls(runId: string, step: number, batches: number): Promise<void>;
  /** Resolves at the end of the run, and rejects after the deadline. */
  awaitEnd(runId: string, deadlineMs?: number): Promise<RunProgress>;
  /** Returns the seconds from the start of the run to the effect of this share of its users. */
  servedWithin(runId: string, step: number, share: number): Promise<number>;
  /**
   * Returns the longest time in seconds from a call that was not recorded to the next call of its key; 0 without such
   * calls.
   */
  slowestRepeat(runId: string): Promise<number>;
  /** Returns the broken invariants of this run; publishes the scenario's figures. */
  judge(runId: string, verdict: Verdict): Promise<string[]>;
  /**
   * I7: returns the processes that ended by themselves, if there are more than allowed, and those that used too much
   * memory.
   */
  health(ownEnds?: number): string[];
  /** Ends every process and removes what they wrote. Safe to call twice. */
  end(): Promise<void>;
}

export interface TrialOptions extends InstallationOptions {
  /** In negative controls, the services run without this protection. */
  without?: FaultControl;
}

/** Times short enough that every lease ends within seconds. A call may take 2 s. */
export const quickLeases = {
  WORKER_LEASE_MS: '5000',
  KAFKA_SESSION_TIMEOUT_MS: '2000',
  TRIGGER_FEED_LEASE_MS: '2000',
  TRIGGER_STALL_MS: '1000',
};

/**
 * Leases for scenarios that lose no worker. A call may take 10 s: on a busy machine, endpoints have taken more than the
 * 2 s that quick leases permit, and a repeated call has two effects at a sink without memory.
 */
export const patientCalls = { WORKER_LEASE_MS: '30000' };

const quietWithinMs = 40_000;
const harnessEndsWithinMs = 15_000;
const maxResidentMb = 700;

export async function startTrial(options: TrialOptions): Promise<Trial> {
  const tree = options.without && (await treeWithout(options.without));
  const engine = { ...quickLeases, ...options.engine };
  const muster = await startInstallation({ ...options, engine, ...(tree !== undefined && { root: tree }) });
  const injections = createInjections();
  const database = observe(muster.database.url);
  const topics = breakTopics(muster.kafkaBrokers);
  const supervisor = createSupervisor(muster);
  const tail = tailLedger(muster.ledgerFile);
  const thaws = new Map<string, () => void>();
  let endFaults: (() => void) | undefined;

  async function switchFaults(rules: FaultSettings = {}): Promise<void> {
    endFaults?.();
    endFaults = undefined;
    const names = [...(rules.calls ?? []), ...(rules.segmentation ?? [])].map(({ name }) => name);
    const answer = await fetch(`${muster.sandboxUrl}/control`, { method: 'POST', body: JSON.stringify(rules) });
    if (!answer.ok) throw new Error(await answer.text());
    if (names.length > 0) endFaults = injections.begin(names.join(' and '), 'sandbox');
  }

  async function judge(runId: string, verdict: Verdict): Promise<string[]> {
    const gathered = await muster.evidence(runId, verdict.segment);
    const evidence = { ...gathered, ...(verdict.suppressed && { suppressed: verdict.suppressed }) };
    const found = [...violations(evidence, verdict.allow), ...(await restlessness(runId)), ...health(verdict.ownEnds)];
    await publish(runId, verdict, evidence, found.length);
    const isRepeated = found.some((one) => one.startsWith('I2'));
    const repeats = isRepeated ? await describeRepeats(await readLedger(muster.ledgerFile), runId, database) : [];
    return [...folded(found), ...repeats];
  }

  /** I7: returns the lag and the ready work that do not return to zero without help. */
  async function restlessness(runId: string): Promise<string[]> {
    const open = `select 1 from batch_steps s join feeds f using (feed) where s.state <> 3 and f.run in (
      select run from feeds group by run having bool_and(complete))`;
    let lags: Record<string, number> = {};
    try {
      await until(
        'lag and open work are gone',
        async () => {
          lags = await topics.lags(muster.topicPrefix);
          return Object.keys(lags).length === 0;
        },
        quietWithinMs,
      );
      return [];
    } catch (error) {
      const steps = await database.count(open).catch(() => -1);
      return [`I7: ${String(error)} (${JSON.stringify(lags)}, ${steps} open steps; run ${runId})`];
    }
  }

  function health(ownEnds = 0): string[] {
    return [...supervisor.report(ownEnds), ...overweight(muster.services)];
  }

  async function publish(runId: string, verdict: Verdict, evidence: Evidence, found: number): Promise<void> {
    const { rows, scenario, measured = {} } = verdict;
    const taken = injections.takeNew();
    const injected = verdict.injected ?? taken;
    const run = measureRun(await readLedger(muster.ledgerFile), runId, evidence, injected);
    publishFigures({ rows, scenario, faults: countOf(injected), ...run, violations: found, measured });
  }

  let ending: Promise<void> | undefined;
  async function end(): Promise<void> {
    supervisor.rest();
    // These connections belong to the harness, so their problems say nothing about the installation.
    await within(harnessEndsWithinMs, Promise.allSettled([topics.close(), database.end()])).catch(() => undefined);
    await muster.stop();
    if (tree !== undefined) await rm(tree, { recursive: true });
  }

  return {
    muster,
    injections,
    database,
    topics,
    topic: (actionType, country) => `${muster.topicPrefix}.${actionType}.${country}`,
    switchFaults,
    faultHits: async () => {
      const status: unknown = await (await fetch(`${muster.sandboxUrl}/control`)).json();
      return z.object({ hits: z.record(z.string(), z.int()) }).parse(status).hits;
    },
    kill: async (...names) => {
      for (const name of names) injections.happened('SIGKILL', name);
      await Promise.all(names.map((name) => supervisor.end(name, 'SIGKILL')));
    },
    stop: async (name) => {
      const done = injections.begin('SIGTERM', name);
      await supervisor.end(name, 'SIGTERM');
      done();
      return await muster.services.get(name)?.exited;
    },
    restart: async (...names) => {
      await Promise.all(names.map((name) => supervisor.start(name)));
    },
    freeze: (name) => {
      thaws.set(name, injections.begin('SIGSTOP', name));
      freezeProcesses(pidOf(muster, name));
    },
    thaw: (name) => {
      thawProcesses(pidOf(muster, name));
      thaws.get(name)?.();
    },
    names: (service) => [...muster.services.keys()].filter((name) => name.replace(/-\d+$/, '') === service),
    ledger: () => readLedger(muster.ledgerFile),
    batchesCalled: (runId, step) => tail.batches(runId, step),
    awaitCalls: async (runId, step, batches) => {
      await until(`${batches} batches of step ${step} are served`, async () => {
        return (await tail.batches(runId, step)) >= batches;
      });
    },
    awaitEnd: async (runId, deadlineMs = 90_000) => {
      const giveUp = AbortSignal.timeout(deadlineMs);
      try {
        return await muster.api.awaitEnd(runId, undefined, giveUp);
      } catch (error) {
        if (!giveUp.aborted) throw error;
        const progress = await muster.api.report(runId).catch(() => undefined);
        const lines = progress?.steps.map(({ step, pending }) => `${pending} pending in step ${step}`).join(', ');
        throw new Error(`the run is ${progress?.state ?? '?'} after ${deadlineMs} ms: ${lines ?? ''}`, {
          cause: error,
        });
      }
    },
    servedWithin: async (runId, step, share) => {
      const { startedAt } = await muster.api.report(runId);
      return servedWithin(await readLedger(muster.ledgerFile), runId, step, startedAt ?? '', share);
    },
    slowestRepeat: async (runId) => slowestRepeat(await readLedger(muster.ledgerFile), runId),
    judge,
    health,
    end: () => (ending ??= end()),
  };
}

/** Groups equal messages, because thousands of users can be wrong in the same way. */
function folded(found: readonly string[]): string[] {
  const displayed = 12;
  return found.length <= displayed
    ? [...found]
    : [...found.slice(0, displayed), `… and ${found.length - displayed} more`];
}

function pidOf(muster: Installation, name: string): number {
  const service = muster.services.get(name);
  if (!service?.running) throw new Error(`${name} does not run`);
  return service.pid;
}

/** I7: returns the processes whose memory exceeds its bound. */
function overweight(services: Installation['services']): string[] {
  return [...services]
    .filter(([name, service]) => service.running && name !== 'sandbox')
    .map(([name, { pid }]) => ({ name, megabytes: residentMb(pid) }))
    .filter(({ megabytes }) => megabytes > maxResidentMb)
    .map(({ name, megabytes }) => `I7: ${name} holds ${Math.round(megabytes)} MB`);
}

function residentMb(pid: number): number {
  const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
}

import type { Clock } from '../../shared/ports/clock.ts';
import type { ChangeFeed } from '../../shared/ports/change-feed.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import { everyHost, type JobCall } from './call/call-job.ts';
import { heldJobOf, type HeldJob } from './jobs/held-job.ts';
import { createBreakerMemory } from './routes/breaker-memory.ts';
import { broughtBack, probeInMs } from './routes/host-breaker.ts';
import { createEvidenceMemory, type EvidenceScope } from './routes/host-evidence.ts';
import { routeNameOf } from './routes/call-route.ts';
import { circuitKeyOf, createCircuitStates } from './routes/circuit-states.ts';
import type { ClientDirectory, FailureLimits } from './ports/client-terms.ts';
import type { JobVerdict } from './ports/call-ledger.ts';
import type { HostCircuit, HostCircuits, HostKey } from './ports/host-circuits.ts';

const lookEveryMs = 1000;
/** Milliseconds between two reads while no host has a circuit. A notification wakes the loop earlier. */
const allWellLookEveryMs = 5000;
/** Least time between two turns in milliseconds, however many notifications arrive. */
const minBetweenMs = 100;
/** Milliseconds between two searches for sidelined jobs without a circuit. */
const adoptEveryMs = 60_000;
/** Upper bound on the sidelined jobs that expire at each probe. */
const maxExpired = 1000;
/** Delay after which a job that waits for the first-hand call of its route is offered again. */
const firstHandWaitMs = 200;
/** Upper bound on the routes of a host with their own circuit. If more fail, the whole host counts as failing. */
const maxRoutesAside = 32;

export interface CircuitKeeperDeps {
  circuits: HostCircuits;
  clients: ClientDirectory;
  leaseOf: (clientId: string) => number;
  onProbe: (job: HeldJob) => void;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

interface LearnedCall extends EvidenceScope {
  sign: 'answers' | 'fails';
}

/** Loop that keeps the circuits of hosts: probes the hosts, and releases their sidelined jobs. */
export interface CircuitKeeper extends Loop {
  /** Returns why the job is not called now: its route or its host has an open circuit. Null if it may be called. */
  refusalOf(job: HeldJob, host: string): JobVerdict | null;
  /** True if the job is called although its host has an open circuit. */
  isFirstHand(job: HeldJob): boolean;
  /** Learns from a call. @returns true if its outcome concerns the ordering key of the job alone */
  onCalled(call: JobCall): boolean;
  /** Handles that these calls are stored: jobs may have been sidelined under a circuit that no longer exists. */
  written(calls: readonly JobCall[]): void;
}

export function createCircuitKeeper(deps: CircuitKeeperDeps): CircuitKeeper {
  const { circuits, clients, changes, clock, logger } = deps;
  const breakers = createBreakerMemory();
  const evidences = createEvidenceMemory();
  const known = createCircuitStates(() => clock.monotonicMs());
  /** Names under which this dispatcher sidelined jobs, and that had a circuit at the last read. */
  const used = new Map<string, HostKey>();
  let adoptedAtMs = -Infinity;

  const isAside = (key: HostKey) => known.of(key) === 'open' || known.of(key) === 'disabled';

  function refusalOf(job: HeldJob, host: string): JobVerdict | null {
    const { clientId } = job;
    const route = routeNameOf(host, job.route);
    if (route !== host && isAside({ clientId, host: route })) return { kind: 'sidelined', host: route };
    const state = known.of({ clientId, host });
    if (state === 'disabled') return { kind: 'sidelined', host };
    if (state !== 'open') return null;
    const permit = evidences.of(circuitKeyOf({ clientId, host: job.host })).firstHandOf(job, clock.monotonicMs());
    if (permit === 'call') return null;
    return permit === 'wait' ? { kind: 'released', delayMs: firstHandWaitMs } : { kind: 'sidelined', host };
  }

  const isFirstHand = ({ clientId, jobId, host }: HeldJob) =>
    evidences.find(circuitKeyOf({ clientId, host }))?.isFirstHand(jobId) ?? false;

  async function turn(): Promise<number> {
    if (clock.monotonicMs() - adoptedAtMs >= adoptEveryMs) {
      adoptedAtMs = clock.monotonicMs();
      const hosts = await circuits.adopt();
      if (hosts > 0) logger.warn({ hosts }, 'jobs were put aside for hosts that nobody knew of, bringing them back');
    }
    const rows = await circuits.read();
    known.replace(rows);
    // Failures from before another dispatcher opened the circuit do not count once the host is back.
    for (const row of rows) if (row.state === 'open') breakers.forget(row);
    for (const row of rows) await keep(row);
    for (const [name, key] of used) {
      if (known.has(key)) continue;
      used.delete(name);
      adoptedAtMs = -Infinity;
    }
    if (adoptedAtMs === -Infinity) return 0;
    return rows.length === 0 && changes.isConnected() ? allWellLookEveryMs : lookEveryMs;
  }

  async function keep(row: HostCircuit): Promise<void> {
    const terms = clients.termsOf(row.clientId);
    if (row.state === 'disabled' && row.host === everyHost && !terms?.heldBecause) {
      await circuits.beginClosing(row);
    } else if (row.state === 'closing' && row.nextInMs <= 0) {
      await circuits.bringBack(row, broughtBack(row.sinceMs));
    } else if (row.state === 'open' && row.nextInMs <= 0) {
      await circuits.expire(row, maxExpired);
      await tryHost(row, probeInMs(row.sinceMs, terms?.sideline.probeEveryMs ?? lookEveryMs));
    }
  }

  async function tryHost(row: HostCircuit, nextInMs: number): Promise<void> {
    const requestedAtMs = clock.monotonicMs();
    const leaseMs = deps.leaseOf(row.clientId);
    const probe = await circuits.takeProbe(row, nextInMs, leaseMs);
    if (probe.kind === 'job') deps.onProbe(heldJobOf(probe.job, requestedAtMs, leaseMs, row.host));
    // No job waits to probe with, so the next job that is due tries the host.
    if (probe.kind === 'nothing-waits') await circuits.beginClosing(row);
  }

  const loop = createLoop({ name: 'keep-circuits', turn, minBetweenMs, afterErrorMs: lookEveryMs, clock, logger });
  changes.on('hosts', () => loop.poke());

  /** Opens or disables a circuit. It applies on this dispatcher at once, even if the write fails. */
  function leaveAlone(key: HostKey, state: 'open' | 'disabled', cause: string, nextInMs: number): void {
    known.set(key, state);
    logger.warn({ ...key, cause }, 'a host is left alone, its jobs are put aside');
    const written = state === 'open' ? circuits.open(key, cause, nextInMs) : circuits.disable(key, cause);
    written.catch((error: unknown) => logger.warn({ err: error, ...key }, 'could not tell that a host is left alone'));
  }

  function onCalled({ job, host, verdict, note, sign, terms }: JobCall): boolean {
    const key = { clientId: job.clientId, host };
    const isFirst = isFirstHand(job);
    evidences.find(circuitKeyOf({ ...key, host: job.host }))?.onEnded(job.jobId, sign);
    if (verdict.kind === 'sidelined' && verdict.host === everyHost) {
      const all = { ...key, host: everyHost };
      if (known.of(all) !== 'disabled') leaveAlone(all, 'disabled', terms?.heldBecause ?? 'the client is disabled', 0);
      return false;
    }
    if (sign === 'none' || !terms) return false;
    const cause = note.error ?? '';
    if (sign === 'gone' && terms.onGone === 'sideline') leaveAlone(key, 'disabled', cause, 0);
    else if (sign !== 'fails' && (job.probeOf !== null || (isFirst && known.of(key) === 'open'))) beginClosing(key);
    if (sign === 'gone') return false;
    const { jobId, orderingKey, route } = job;
    const nowMs = clock.monotonicMs();
    const startedMs = nowMs - (note.latencyMs ?? 0);
    if (sign === 'fails' && isBackSince(job, host, startedMs)) return false;
    const evidence = evidences.of(circuitKeyOf({ ...key, host: job.host }));
    const scope = evidence.onCalled({ jobId, orderingKey, sign, route, startedMs }, nowMs);
    const opened = job.probeOf === null ? learn(job, host, { ...scope, sign }, terms.sideline) : null;
    if (opened) leaveAlone(opened, 'open', cause, probeInMs(0, terms.sideline.probeEveryMs));
    return scope.isOfKey;
  }

  /** True if the host or the route has come back since then: earlier failures do not count. */
  function isBackSince({ clientId, route }: HeldJob, host: string, timeMs: number): boolean {
    const names = [host, routeNameOf(host, route)];
    return names.some((name) => known.isBackSince({ clientId, host: name }, timeMs));
  }

  /**
   * Updates the breaker of the call's route, and that of its host unless the host serves other routes. If many routes
   * fail at a time, both learn.
   * @returns the route or host whose circuit opens now, or null
   */
  function learn(job: HeldJob, host: string, met: LearnedCall, limits: FailureLimits): HostKey | null {
    const { clientId } = job;
    const ofHost = { clientId, host };
    const ofRoute = { clientId, host: routeNameOf(host, job.route) };
    const call = { jobId: met.id, sign: met.sign };
    const stateOf = (key: HostKey) => (known.of(key) === 'closed' ? known.of(ofHost) : known.of(key));
    if (met.sign === 'answers') {
      // Only failures create an entry, unless the circuit is closing: earlier answers do not matter otherwise.
      const breaker = known.of(ofHost) === 'closing' ? breakers.of(ofHost) : breakers.find(ofHost);
      breaker?.onCalled(call, known.of(ofHost), limits);
      if (ofRoute.host !== host) breakers.find(ofRoute)?.onCalled(call, known.of(ofRoute), limits);
      return null;
    }
    const ofOne = met.isOfRoute && mayPutAside(job, ofRoute) ? ofRoute : ofHost;
    const learners = met.isOfMany ? [ofHost, ofOne] : [ofOne];
    return learners.find((key) => breakers.of(key).onCalled(call, stateOf(key), limits)) ?? null;
  }

  function mayPutAside({ clientId, host }: HeldJob, route: HostKey): boolean {
    return known.has(route) || known.routesOf({ clientId, host }) < maxRoutesAside;
  }

  function written(calls: readonly JobCall[]): void {
    for (const { job, verdict } of calls) {
      if (verdict.kind !== 'sidelined') continue;
      const key = { clientId: job.clientId, host: verdict.host };
      used.set(circuitKeyOf(key), key);
      if (!isAside(key)) loop.poke();
    }
  }

  function beginClosing(key: HostKey): void {
    known.set(key, 'closing');
    logger.info({ ...key }, 'a host answers again, its jobs are brought back');
    circuits.beginClosing(key).then(
      () => loop.poke(),
      (error: unknown) => logger.warn({ err: error, ...key }, 'could not tell that a host answers, it is tried again'),
    );
  }

  return { ...loop, refusalOf, isFirstHand, onCalled, written };
}

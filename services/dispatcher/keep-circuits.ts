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

const pollEveryMs = 1000;
/**
 * Milliseconds between two reads of the circuits while no host has a circuit. A notification wakes the loop earlier.
 */
const allWellPollEveryMs = 5000;
/** Minimum time in milliseconds between two turns, however many notifications arrive. */
const minBetweenMs = 100;
/** Time in milliseconds between two searches for sidelined jobs whose circuit no longer exists. */
const adoptEveryMs = 60_000;
/** Maximum number of expired jobs that are ended at each probe of their host. */
const maxExpired = 1000;
/**
 * Delay in milliseconds after which a job is tried again that waits for a first-hand call: a call of another job to the
 * same route, made although the host's circuit is open.
 */
const firstHandWaitMs = 200;
/**
 * Maximum number of routes of a host that have a circuit of their own. If more routes fail, the failures count for the
 * whole host.
 */
const maxSidelinedRoutes = 32;

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

/**
 * Loop that maintains the circuit breakers of hosts: it probes hosts with an open circuit, and releases the sidelined
 * jobs of hosts that answer again.
 */
export interface CircuitKeeper extends Loop {
  /** Returns the verdict on a job whose route or host has an open circuit. Null if the job may be called now. */
  refusalOf(job: HeldJob, host: string): JobVerdict | null;
  /**
   * Returns true if the job is called although the circuit of its host is open, to find out if the host serves the
   * job's route.
   */
  isFirstHand(job: HeldJob): boolean;
  /**
   * Updates the circuits with the result of a call.
   * @returns true if the result concerns only the ordering key of the job
   */
  onCalled(call: JobCall): boolean;
  /**
   * Reports that these results were stored. If a job was sidelined under a circuit that no longer exists, this wakes
   * the loop, which releases the job.
   */
  written(calls: readonly JobCall[]): void;
}

export function createCircuitKeeper(deps: CircuitKeeperDeps): CircuitKeeper {
  const { circuits, clients, changes, clock, logger } = deps;
  const breakers = createBreakerMemory();
  const evidences = createEvidenceMemory();
  const known = createCircuitStates(() => clock.monotonicMs());
  /** Circuits under which this dispatcher sidelined jobs, and that existed at its last read of the database. */
  const used = new Map<string, HostKey>();
  let adoptedAtMs = -Infinity;

  const isSidelined = (key: HostKey) => known.of(key) === 'open' || known.of(key) === 'disabled';

  function refusalOf(job: HeldJob, host: string): JobVerdict | null {
    const { clientId } = job;
    const route = routeNameOf(host, job.route);
    if (route !== host && isSidelined({ clientId, host: route })) return { kind: 'sidelined', host: route };
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
      const hosts = await circuits.closeOrphanedHosts();
      if (hosts > 0) logger.warn({ hosts }, 'jobs are sidelined for hosts without a circuit, they are released');
    }
    const rows = await circuits.read();
    known.replace(rows);
    // Another dispatcher may have opened the circuit. This dispatcher discards the failures that it counted before, so
    // that they do not count again when the host is back.
    for (const row of rows) if (row.state === 'open') breakers.forget(row);
    for (const row of rows) await keep(row);
    for (const [name, key] of used) {
      if (known.has(key)) continue;
      used.delete(name);
      adoptedAtMs = -Infinity;
    }
    if (adoptedAtMs === -Infinity) return 0;
    return rows.length === 0 && changes.isConnected() ? allWellPollEveryMs : pollEveryMs;
  }

  async function keep(row: HostCircuit): Promise<void> {
    const terms = clients.termsOf(row.clientId);
    if (row.state === 'disabled' && row.host === everyHost && !terms?.pauseReason) {
      await circuits.beginClosing(row);
    } else if (row.state === 'closing' && row.nextInMs <= 0) {
      await circuits.releaseSidelined(row, broughtBack(row.sinceMs));
    } else if (row.state === 'open' && row.nextInMs <= 0) {
      await circuits.expire(row, maxExpired);
      await tryHost(row, probeInMs(row.sinceMs, terms?.sideline.probeEveryMs ?? pollEveryMs));
    }
  }

  async function tryHost(row: HostCircuit, nextInMs: number): Promise<void> {
    const requestedAtMs = clock.monotonicMs();
    const leaseMs = deps.leaseOf(row.clientId);
    const probe = await circuits.takeProbe(row, nextInMs, leaseMs);
    if (probe.kind === 'job') deps.onProbe(heldJobOf(probe.job, requestedAtMs, leaseMs, row.host));
    // If no sidelined job is left for a probe, the circuit begins to close. The next job that becomes due then tests
    // the host.
    if (probe.kind === 'nothing-waits') await circuits.beginClosing(row);
  }

  const loop = createLoop({ name: 'keep-circuits', turn, minBetweenMs, afterErrorMs: pollEveryMs, clock, logger });
  changes.on('hosts', () => loop.poke());

  /**
   * Opens or disables a circuit. The change applies on this dispatcher at once, even if the write to the database
   * fails.
   */
  function openOrDisable(key: HostKey, state: 'open' | 'disabled', cause: string, nextInMs: number): void {
    known.set(key, state);
    logger.warn({ ...key, cause }, 'a host does not answer, its jobs are sidelined');
    const written = state === 'open' ? circuits.open(key, cause, nextInMs) : circuits.disable(key, cause);
    written.catch((error: unknown) =>
      logger.warn({ err: error, ...key }, 'could not record that a host does not answer'),
    );
  }

  function onCalled({ job, host, verdict, note, sign, terms }: JobCall): boolean {
    const key = { clientId: job.clientId, host };
    const isFirst = isFirstHand(job);
    evidences.find(circuitKeyOf({ ...key, host: job.host }))?.onEnded(job.jobId, sign);
    if (verdict.kind === 'sidelined' && verdict.host === everyHost) {
      const all = { ...key, host: everyHost };
      if (known.of(all) !== 'disabled')
        openOrDisable(all, 'disabled', terms?.pauseReason ?? 'the client is disabled', 0);
      return false;
    }
    if (sign === 'none' || !terms) return false;
    const cause = note.error ?? '';
    if (sign === 'gone' && terms.onGone === 'sideline') openOrDisable(key, 'disabled', cause, 0);
    else if (sign !== 'fails' && (job.probeOf !== null || (isFirst && known.of(key) === 'open'))) beginClosing(key);
    if (sign === 'gone') return false;
    const { jobId, orderingKey, route } = job;
    const nowMs = clock.monotonicMs();
    const startedMs = nowMs - (note.latencyMs ?? 0);
    if (sign === 'fails' && hasRecoveredSince(job, host, startedMs)) return false;
    const evidence = evidences.of(circuitKeyOf({ ...key, host: job.host }));
    const scope = evidence.onCalled({ jobId, orderingKey, sign, route, startedMs }, nowMs);
    const opened = job.probeOf === null ? learn(job, host, { ...scope, sign }, terms.sideline) : null;
    if (opened) openOrDisable(opened, 'open', cause, probeInMs(0, terms.sideline.probeEveryMs));
    return scope.isOfKey;
  }

  /**
   * Returns true if the circuit of the host or route was open at or after `timeMs`, and is not any more. Failures of
   * calls that began earlier then do not count.
   */
  function hasRecoveredSince({ clientId, route }: HeldJob, host: string, timeMs: number): boolean {
    const names = [host, routeNameOf(host, route)];
    return names.some((name) => known.hasRecoveredSince({ clientId, host: name }, timeMs));
  }

  /**
   * Counts a call for the circuit breaker of its route, or for the host's breaker if the host does not serve other
   * routes. If many routes fail at the same time, a failure counts for both.
   * @returns the route or host whose circuit must open now; null if there is none
   */
  function learn(job: HeldJob, host: string, met: LearnedCall, limits: FailureLimits): HostKey | null {
    const { clientId } = job;
    const ofHost = { clientId, host };
    const ofRoute = { clientId, host: routeNameOf(host, job.route) };
    const call = { jobId: met.id, sign: met.sign };
    const stateOf = (key: HostKey) => (known.of(key) === 'closed' ? known.of(ofHost) : known.of(key));
    if (met.sign === 'answers') {
      // Only a failure creates a breaker; a response is counted in a breaker that exists. While the circuit is closing,
      // a response also creates a breaker.
      const breaker = known.of(ofHost) === 'closing' ? breakers.of(ofHost) : breakers.find(ofHost);
      breaker?.onCalled(call, known.of(ofHost), limits);
      if (ofRoute.host !== host) breakers.find(ofRoute)?.onCalled(call, known.of(ofRoute), limits);
      return null;
    }
    const ofOne = met.isOfRoute && maySideline(job, ofRoute) ? ofRoute : ofHost;
    const learners = met.isOfMany ? [ofHost, ofOne] : [ofOne];
    return learners.find((key) => breakers.of(key).onCalled(call, stateOf(key), limits)) ?? null;
  }

  function maySideline({ clientId, host }: HeldJob, route: HostKey): boolean {
    return known.has(route) || known.routesOf({ clientId, host }) < maxSidelinedRoutes;
  }

  function written(calls: readonly JobCall[]): void {
    for (const { job, verdict } of calls) {
      if (verdict.kind !== 'sidelined') continue;
      const key = { clientId: job.clientId, host: verdict.host };
      used.set(circuitKeyOf(key), key);
      if (!isSidelined(key)) loop.poke();
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

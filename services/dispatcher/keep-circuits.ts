import type { Clock } from '../../shared/ports/clock.ts';
import type { Notices } from '../../shared/ports/notices.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';
import { everyHost, type JobCall } from './call/call-job.ts';
import { heldJobOf, type HeldJob } from './held-job.ts';
import { broughtBack, createHostBreaker, probeInMs, type HostBreaker, type HostState } from './call/host-breaker.ts';
import type { ClientDirectory } from './ports/client-terms.ts';
import type { HostCircuit, HostCircuits, HostKey } from './ports/host-circuits.ts';

const lookEveryMs = 1000;
/** While no host is left alone, as one that is to be is told. */
const allWellLookEveryMs = 5000;
/** However many hosts are told of. */
const minBetweenMs = 100;
/** Between two looks for jobs that were put aside and that no circuit knows of. */
const adoptEveryMs = 60_000;
/** Sidelined jobs that are expired at each try. */
const maxExpired = 1000;
/** Hosts that were well for so long are counted anew. */
const maxBreakers = 10_000;

export interface CircuitKeeperDeps {
  circuits: HostCircuits;
  clients: ClientDirectory;
  /** How long a claim of its job lasts. */
  leaseOf: (clientId: string) => number;
  /** A job to try a host with. */
  onProbe: (job: HeldJob) => void;
  notices: Notices;
  clock: Clock;
  logger: Logger;
}

/** Knows which hosts are left alone, tries them, and brings their jobs back. */
export interface CircuitKeeper extends Loop {
  stateOf(clientId: string, host: string): HostState;
  /** What a call told of its host. */
  onCalled(call: JobCall): void;
}

export function createCircuitKeeper(deps: CircuitKeeperDeps): CircuitKeeper {
  const { circuits, clients, notices, clock, logger } = deps;
  const breakers = new Map<string, HostBreaker>();
  let known = new Map<string, HostState>();
  let adoptedAtMs = -Infinity;

  const stateOf = (clientId: string, host: string) => known.get(keyOf({ clientId, host })) ?? 'closed';

  function breakerOf(key: string): HostBreaker {
    const found = breakers.get(key) ?? createHostBreaker();
    if (breakers.size > maxBreakers) breakers.clear();
    breakers.set(key, found);
    return found;
  }

  async function turn(): Promise<number> {
    if (clock.monotonicMs() - adoptedAtMs >= adoptEveryMs) {
      adoptedAtMs = clock.monotonicMs();
      const hosts = await circuits.adopt();
      if (hosts > 0) logger.warn({ hosts }, 'jobs were put aside for hosts that nobody knew of, bringing them back');
    }
    const rows = await circuits.read();
    known = new Map(rows.map((row) => [keyOf(row), row.state]));
    // What failed before another dispatcher left the host alone says nothing once it is back.
    for (const row of rows) if (row.state === 'open') breakers.delete(keyOf(row));
    for (const row of rows) await keep(row);
    return rows.length === 0 && notices.isHearing() ? allWellLookEveryMs : lookEveryMs;
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
    const askedMs = clock.monotonicMs();
    const leaseMs = deps.leaseOf(row.clientId);
    const probe = await circuits.takeProbe(row, nextInMs, leaseMs);
    if (probe.kind === 'job') deps.onProbe(heldJobOf(probe.job, askedMs, leaseMs, row.host));
    // The next job that is due tries it: there is nothing to lose by that, and nothing else to try it with.
    if (probe.kind === 'nothing-waits') await circuits.beginClosing(row);
  }

  const loop = createLoop({ name: 'keep-circuits', turn, minBetweenMs, afterErrorMs: lookEveryMs, clock, logger });
  notices.on('hosts', () => loop.poke());

  /** Told to the others; here it holds from now on, whether or not that could be written. */
  function leaveAlone(key: HostKey, state: 'open' | 'disabled', cause: string, nextInMs: number): void {
    known.set(keyOf(key), state);
    logger.warn({ ...key, cause }, 'a host is left alone, its jobs are put aside');
    const written = state === 'open' ? circuits.open(key, cause, nextInMs) : circuits.disable(key, cause);
    written.catch((error: unknown) => logger.warn({ err: error, ...key }, 'could not tell that a host is left alone'));
  }

  function onCalled({ job, host, verdict, note, sign, terms }: JobCall): void {
    const key = { clientId: job.clientId, host };
    if (verdict.kind === 'sidelined' && verdict.host === everyHost) {
      const all = { ...key, host: everyHost };
      if (stateOf(all.clientId, all.host) !== 'disabled')
        leaveAlone(all, 'disabled', terms?.heldBecause ?? 'the client is disabled', 0);
      return;
    }
    if (sign === 'none' || !terms) return;
    const state = stateOf(key.clientId, key.host);
    const cause = note.error ?? '';
    if (sign === 'gone' && terms.onGone === 'sideline') leaveAlone(key, 'disabled', cause, 0);
    else if (job.probeOf !== null && sign !== 'fails') beginClosing(key);
    else if (breakerOf(keyOf(key)).onCalled({ jobId: job.jobId, sign }, state, terms.sideline)) {
      leaveAlone(key, 'open', cause, probeInMs(0, terms.sideline.probeEveryMs));
    }
  }

  function beginClosing(key: HostKey): void {
    known.set(keyOf(key), 'closing');
    logger.info({ ...key }, 'a host answers again, its jobs are brought back');
    circuits.beginClosing(key).then(
      () => loop.poke(),
      (error: unknown) => logger.warn({ err: error, ...key }, 'could not tell that a host answers, it is tried again'),
    );
  }

  return { ...loop, stateOf, onCalled };
}

function keyOf({ clientId, host }: HostKey): string {
  return `${clientId} ${host}`;
}

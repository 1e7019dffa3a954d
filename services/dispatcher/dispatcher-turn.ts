import type { Clock } from '../../shared/ports/clock.ts';
import type { LetterKeeper } from '../../shared/runtime/installation/letter-keeper.ts';
import type { ClaimLevels, ClaimWatch } from './claim-watch.ts';
import type { ClientBounds } from './client-bounds.ts';
import type { ClientQueues } from './client-queues.ts';
import type { DispatcherMeter } from './dispatcher-meter.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { HeldJobs, Written } from './held-jobs.ts';
import { forgedAmong, type ReceivedReference } from './jobs/received-reference.ts';
import { heldJobOf } from './jobs/held-job.ts';
import type { CircuitKeeper } from './keep-circuits.ts';
import type { KeyTurns } from './key-turns.ts';

const maxClaims = 500;
const idleMs = 1000;
/** Maximum time in milliseconds between two turns while a claimed job waits for a slot. */
const waitingMs = 100;
export const afterErrorMs = 500;

export interface DispatcherTurnDeps {
  heartbeat: Pick<Heartbeat, 'aliveUntilMs'>;
  /** Shortest lease of a claim in milliseconds. */
  leaseMs: number;
  bounds: ClientBounds;
  letters: LetterKeeper;
  held: HeldJobs;
  claimWatch: ClaimWatch;
  queues: ClientQueues;
  keeper: Pick<CircuitKeeper, 'written'>;
  keyTurns: Pick<KeyTurns, 'written'>;
  meter: DispatcherMeter;
  levels: () => ClaimLevels;
  clock: Clock;
  /**
   * Returns false once the dispatcher is stopping. It then claims no more jobs, and releases the jobs of claims that
   * were being written.
   */
  isTakingIn: () => boolean;
  /** Called after references were handled: their jobs were claimed, or found not to be claimable. */
  onHandled: (references: number) => void;
}

interface ClaimGroup {
  taken: readonly ReceivedReference[];
  /**
   * The references in `taken` whose jobs this dispatcher does not hold yet. The others are repeated references; one
   * statement must not contain both a job's result and a new claim of the same job.
   */
  claims: readonly ReceivedReference[];
  /** Monotonic time at which the claims were requested. In the database, the leases begin at this time or later. */
  requestedAtMs: number;
  leaseMs: number;
}

/**
 * Creates the turn of a dispatcher. A turn first begins or releases the claimed jobs. Then it writes the results and
 * claims of many jobs in one statement. The function returns the milliseconds until the next turn.
 */
export function createDispatcherTurn(deps: DispatcherTurnDeps): () => Promise<number> {
  const { heartbeat, bounds, letters, held, claimWatch, queues, keeper, keyTurns, meter, levels, clock } = deps;
  const { isTakingIn, onHandled } = deps;

  async function turn(): Promise<number> {
    turnClaimed();
    const isAlive = clock.monotonicMs() < heartbeat.aliveUntilMs();
    const group = takeClaims(isAlive);
    const written = await write(group);
    onHandled(group.taken.length);
    holdClaimed(written, group);
    if (written) noteWritten(written, group);
    return pauseMs(isAlive, written !== null);
  }

  /** Checks all claimed jobs: each job begins, keeps waiting for a bounded time, or is released. */
  function turnClaimed(): void {
    held.release(queues.turn());
    claimWatch.turned(levels());
  }

  /**
   * Takes references to be claimed. Takes none if `mayClaim` is false: the heartbeat of this dispatcher is then so old
   * that other dispatchers may take over its claims.
   */
  function takeClaims(mayClaim: boolean): ClaimGroup {
    const taken = isTakingIn() && mayClaim ? queues.take(maxClaims) : [];
    const claims = taken.filter((reference) => !held.has(reference));
    const leases = new Set(claims.map(({ clientId }) => bounds.leaseOf(clientId)));
    return { taken, claims, requestedAtMs: clock.monotonicMs(), leaseMs: Math.max(deps.leaseMs, ...leases) };
  }

  function write({ taken, claims, leaseMs }: ClaimGroup): Promise<Written | null> {
    const claimOf = (reference: ReceivedReference) => bounds.claimOf(reference);
    const writing = claimWatch.flushing(held.flush(claims.map(claimOf), leaseMs));
    return writing.catch((error: unknown) => {
      queues.requeue(taken);
      throw error;
    });
  }

  function holdClaimed(written: Written | null, { requestedAtMs, leaseMs }: ClaimGroup): void {
    const jobs = written?.claimed.map((claim) => heldJobOf(claim, requestedAtMs, leaseMs)) ?? [];
    held.add(jobs);
    if (isTakingIn()) queues.hold(jobs);
    else held.releaseAll(jobs);
  }

  function noteWritten(written: Written, { claims, requestedAtMs }: ClaimGroup): void {
    for (const { message, reason } of forgedAmong(claims, written)) {
      letters.keep(message, 'contradicted', reason, () => undefined);
    }
    keyTurns.written(written.calls);
    keeper.written(written.calls);
    meter.flushed(written, written.calls, claims.length, clock.monotonicMs() - requestedAtMs);
  }

  function pauseMs(isAlive: boolean, hasWritten: boolean): number {
    if (!isAlive && held.unwritten === 0) return afterErrorMs;
    if (hasWritten && held.unwritten + queues.queued > 0) return 0;
    return queues.waiting > 0 ? waitingMs : idleMs;
  }

  return turn;
}

import type { Clock } from '../../../shared/ports/clock.ts';
import type { EndpointGuards } from '../../../shared/ports/endpoint-guards.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import type { GuardedShard } from './group-views.ts';

const wellMs = 2000;
const troubledMs = 1000;
/** Milliseconds between two turns of the loop without work. New work wakes the loop. */
const idleMs = 60_000;
const afterErrorMs = 1000;
/** Milliseconds within which the worker with the grant begins its probe. Later, it must not make the probe. */
const probeBeginsWithinMs = 3000;
/** Milliseconds after the call's time-out by which a probe must have been reported. */
const probeMarginMs = 2000;

export interface GuardKeeperDeps {
  guards: EndpointGuards;
  guarded: () => Iterable<GuardedShard>;
  /** Returns the topics with steps that wait to be claimed. */
  queuedTopics: () => Iterable<string>;
  timeoutMsOf: (actionType: string) => number;
  onOpened: (topic: string) => void;
  /** Called when calls may begin that were not allowed before. */
  onRoom: () => void;
  clock: Clock;
  /** Random number in [0, 1). */
  random: () => number;
  logger: Logger;
}

/**
 * Loop that reports the breakers of this worker to the store, reads those of all workers, and requests probes that are
 * due.
 */
export interface GuardKeeper extends Pick<Loop, 'start' | 'poke' | 'stop'> {
  /** Reports new work, which wakes the loop if it was idle. */
  onWork(): void;
}

export function createGuardKeeper(deps: GuardKeeperDeps): GuardKeeper {
  const { guards, guarded, onRoom, clock, random, logger } = deps;
  let isIdle = true;

  async function turn(): Promise<number> {
    const shards = [...guarded()];
    const queued = new Set(deps.queuedTopics());
    const hasWork = ({ topic, hasCalls, hasWaiting }: GuardedShard) => hasCalls || hasWaiting || queued.has(topic);
    isIdle = !shards.some((shard) => hasWork(shard) || shard.breaker.report !== null);
    if (isIdle) return idleMs;

    for (const shard of shards) await report(shard);
    for (const shard of shards) if (!shard.hasCalls && hasWork(shard)) await askForProbe(shard);
    return await readGuardStates(shards, shards.filter(hasWork));
  }

  async function report({ shard, breaker }: GuardedShard): Promise<void> {
    const written = breaker.takeReport();
    if (!written) return;
    const { kind, cause, retryAfterMs } = written;
    const broken = { shard, cause, retryAfterMs, random: random() };
    if (kind === 'open') {
      await guards.open(broken);
      logger.warn({ ...shard, cause }, 'an endpoint does not answer, its breaker opens');
    } else if (kind === 'recovered') {
      await guards.close(shard, { startsSlowly: true });
      logger.info({ ...shard }, 'an endpoint answers again, its breaker closes');
    } else if (kind === 'alive') {
      await guards.close(shard, { startsSlowly: false });
      logger.info({ ...shard, cause }, 'an endpoint serves other campaigns, its breaker closes');
    } else {
      const answered = kind === 'probe-answered';
      await guards.endProbe({ ...broken, answered });
      if (answered) logger.info({ ...shard }, 'an endpoint answers again, its breaker closes');
    }
    breaker.onReported(written, clock.monotonicMs());
  }

  async function askForProbe({ shard, breaker }: GuardedShard): Promise<void> {
    const requestedAtMs = clock.monotonicMs();
    if (!breaker.wantsProbe(requestedAtMs)) return;
    const leaseMs = probeBeginsWithinMs + deps.timeoutMsOf(shard.actionType) + probeMarginMs;
    if (!(await guards.takeProbe(shard, leaseMs))) return;
    breaker.onGrant(requestedAtMs + probeBeginsWithinMs);
    onRoom();
  }

  async function readGuardStates(shards: readonly GuardedShard[], working: readonly GuardedShard[]): Promise<number> {
    const requestedAtMs = clock.monotonicMs();
    const troubled = working.filter(({ breaker }) => breaker.allowed(requestedAtMs) !== Number.POSITIVE_INFINITY);
    const seen = await guards.read(troubled.map(({ shard }) => shard));
    const byName = new Map(seen.map((guard) => [nameOf(guard), guard]));
    let soonestMs = seen.length === 0 ? wellMs : troubledMs;
    let hasRoom = false;
    for (const { shard, topic, breaker } of shards) {
      const before = breaker.allowed(requestedAtMs);
      const guard = byName.get(nameOf(shard)) ?? null;
      if (breaker.onGuardRead(guard, requestedAtMs)) deps.onOpened(topic);
      if (breaker.allowed(requestedAtMs) > before) hasRoom = true;
      if (guard?.state === 'open' && guard.retryInMs > 0) soonestMs = Math.min(soonestMs, Math.ceil(guard.retryInMs));
    }
    if (hasRoom) onRoom();
    return soonestMs;
  }

  const loop = createLoop({ name: 'endpoint-guards', turn, afterErrorMs, clock, logger });
  return {
    start: () => loop.start(),
    poke: () => loop.poke(),
    stop: () => loop.stop(),
    onWork: () => {
      if (!isIdle) return;
      isIdle = false;
      loop.poke();
    },
  };
}

function nameOf({ actionType, country }: { actionType: string; country: string }): string {
  return `${actionType}/${country}`;
}

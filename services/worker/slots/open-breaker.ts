/*
 * Calls that a worker makes while the breaker of a shard is open. There are two kinds. A probe tests the endpoint; all
 * failing feeds together have one claim for it. A first-hand call is a call of a feed that has not failed on this
 * worker.
 */
import type { StepFifo } from '../step/step-fifo.ts';
import type { Work } from '../step/work.ts';
import type { Breaker } from './breaker.ts';
import type { SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';

/** Maximum number of first-hand calls in flight of a shard whose breaker is open. */
const maxFirstHandCalls = 4;
/** Minimum time in milliseconds between the begins of two first-hand calls of such a shard. */
const firstHandEveryMs = 100;

interface GuardedLine {
  readonly guard: Pick<SourceGuard, 'isFailing'>;
  readonly waiting: Pick<StepFifo<Work>, 'size'>;
  inFlight: number;
}

interface GuardedGroup {
  readonly breaker: Pick<Breaker, 'isOpen' | 'allowed'>;
  readonly lines: ReadonlyMap<string, GuardedLine>;
  inFlight: number;
  firstHand: number;
  firstHandAtMs: number;
}

/**
 * Returns true if the breaker is open and the next call of the line may begin nevertheless, because this worker does
 * not know yet if the endpoint works for the line's feed. An answer shows that the endpoint is not down.
 */
export function mayCallFirstHand(group: GuardedGroup, line: GuardedLine, nowMs: number): boolean {
  if (!group.breaker.isOpen(nowMs) || line.guard.isFailing || line.inFlight > 0) return false;
  return group.firstHand < maxFirstHandCalls && nowMs - group.firstHandAtMs >= firstHandEveryMs;
}

export function beginFirstHand(group: GuardedGroup, nowMs: number): void {
  group.firstHand++;
  group.firstHandAtMs = nowMs;
}

/**
 * Returns the number of calls in flight that are not first-hand: the probe, and calls that began before the breaker
 * opened.
 */
export function probeCalls({ inFlight, firstHand }: GuardedGroup): number {
  return inFlight - firstHand;
}

export function probesLeft(group: GuardedGroup, nowMs: number): number {
  return Math.max(0, group.breaker.allowed(nowMs) - probeCalls(group));
}

/** Returns how many claims may be made while the breaker is open, for first-hand calls and for the probe together. */
export function roomOfOpen(group: GuardedGroup, nowMs: number): number {
  return roomOfProbe(group, nowMs) + Math.max(0, maxFirstHandCalls - group.firstHand - waitingForFirstHand(group));
}

/** Returns how many waiting steps may begin as first-hand calls: one of each feed that has no call in flight. */
function waitingForFirstHand({ lines }: GuardedGroup): number {
  let calls = 0;
  for (const { guard, waiting, inFlight } of lines.values()) {
    if (!guard.isFailing && inFlight === 0 && waiting.size > 0) calls++;
  }
  return calls;
}

/** Returns how many claims may be made for the probe, by all failing feeds together. */
export function roomOfProbe(group: GuardedGroup, nowMs: number): number {
  return Math.max(0, probesLeft(group, nowMs) - waitingOfFailing(group));
}

function waitingOfFailing({ lines }: GuardedGroup): number {
  let waiting = 0;
  for (const line of lines.values()) if (line.guard.isFailing) waiting += line.waiting.size;
  return waiting;
}

/**
 * Returns true if the breaker is open and the feed's calls are only allowed as the probe. All such feeds share one
 * limit on claims.
 */
export function sharesProbe({ breaker, lines }: GuardedGroup, feedId: string, nowMs: number): boolean {
  return breaker.isOpen(nowMs) && lines.get(feedId)?.guard.isFailing === true;
}

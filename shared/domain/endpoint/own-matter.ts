/*
 * The results of calls are learned for their *source* first: for a feed in its shard, for a route in its client's host.
 * The whole (the shard, the host) learns the same only if no other source of it shows that the endpoint works: a
 * *witness*. A source is a witness of the endpoint for a call that begins within ten seconds after an answer, or before
 * it,
 *
 * | against  | unless, since or within the same time              |
 * | -------- | -------------------------------------------------- |
 * | failure  | a later call of it failed as well                  |
 * | pressure | it met pressure as well (time-outs, 429)           |
 *
 * If the whole has one source only, there is no witness, and the whole learns what that source meets.
 *
 * Calls that hang outlast those ten seconds, and keep others from being called. So whatever the call of one source is
 * compared with counts from the begin of that call on, never from its end.
 */

/**
 * The end of a call. `misconfigured`: the endpoint refused it because of who sent it where, or of its parameters.
 * `failed`: it ended quickly without a good answer, so it kept no slot from others.
 */
export type CallEnd = 'answered' | 'unanswered' | 'misconfigured' | 'failed';

/** Signs that an endpoint is overloaded: its answer reports it, or the call timed out. */
export type Pressure = 'throttled' | 'timed-out';

/** Kinds of trouble that calls meet. */
export type Trouble = 'failure' | 'pressure';

/** Latest ends of a source's calls in this process, by the clock's `monotonicMs`; -Infinity means never. */
export interface SourceEvidence {
  readonly id: string;
  readonly answeredAtMs: number;
  readonly failedAtMs: number;
  readonly pressedAtMs: number;
}

/** An answer proves for so long that the endpoint works. */
export const witnessLastsMs = 10_000;

/**
 * True if the trouble of a source concerns that source alone, because the endpoint serves another one.
 *
 * @param startedMs begin of the call that met the trouble. An answer counts that was new at any time since: a call that
 *   hangs may take longer than a witness lasts, and keep others from being called for so long.
 */
export function isOwnMatter(
  trouble: Trouble,
  id: string,
  sources: Iterable<SourceEvidence>,
  startedMs: number,
): boolean {
  for (const source of sources) if (source.id !== id && isWitness(trouble, source, startedMs)) return true;
  return false;
}

/** True if the answers of this source show that the endpoint works, or has worked at any time since `sinceMs`. */
function isWitness(trouble: Trouble, source: SourceEvidence, sinceMs: number): boolean {
  if (sinceMs - source.answeredAtMs >= witnessLastsMs) return false;
  if (trouble === 'pressure') return sinceMs - source.pressedAtMs >= witnessLastsMs;
  return source.answeredAtMs > source.failedAtMs;
}

/**
 * True if another source has met pressure as well: then the limit of the whole learns from both of them.
 *
 * @param startedMs begin of the call that met pressure. Calls that hang end far apart, so the pressure counts that
 *   another source met at any time since ten seconds before it.
 */
export function isPressureShared(id: string, sources: Iterable<SourceEvidence>, startedMs: number): boolean {
  for (const source of sources) if (source.id !== id && startedMs - source.pressedAtMs < witnessLastsMs) return true;
  return false;
}

/*
 * The result of a call first updates the *source*: a feed in its shard, or a route in its client's host. The result
 * also updates the whole (the shard, the host), unless another source of the whole is a *witness*, which shows that the
 * endpoint works. A source is a witness if one of its answers arrived after the call began, or less than ten seconds
 * before, except in these cases:
 *
 * | the call met | the other source is no witness if                             |
 * | ------------ | ------------------------------------------------------------- |
 * | a failure    | its newest call with a result failed as well                  |
 * | pressure     | it met pressure as well (a time-out, or 429) in the same time |
 *
 * If the whole has only one source, there is no witness, and each result of this source updates the whole.
 *
 * Hanging calls last longer than ten seconds, and delay the calls of other sources. Evidence of other sources therefore
 * counts from the begin of the call, never from its end.
 */

/**
 * End of a call. `misconfigured`: the endpoint refused the call because of its credentials, address or parameters.
 * `failed`: the call ended quickly without a good answer, so it occupied no slot for long.
 */
export type CallEnd = 'answered' | 'unanswered' | 'misconfigured' | 'failed';

/** Sign that an endpoint is overloaded: its answer reports overload, or the call timed out. */
export type Pressure = 'throttled' | 'timed-out';

export type Trouble = 'failure' | 'pressure';

/** Latest ends of a source's calls in this process, by the clock's `monotonicMs`; -Infinity means never. */
export interface SourceEvidence {
  readonly id: string;
  readonly answeredAtMs: number;
  readonly failedAtMs: number;
  readonly pressedAtMs: number;
}

/** Time in milliseconds for which an answer proves that the endpoint works. */
export const witnessLastsMs = 10_000;

/**
 * Returns true if the trouble of a source concerns that source alone, because the endpoint serves another source.
 *
 * @param startedMs begin of the call that met the trouble. An answer counts if it was recent at any time since then: a
 * hanging call may last longer than an answer proves, and delay other calls for as long.
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

/** Returns true if this source shows that the endpoint works, or has worked at any time since `sinceMs`. */
function isWitness(trouble: Trouble, source: SourceEvidence, sinceMs: number): boolean {
  if (sinceMs - source.answeredAtMs >= witnessLastsMs) return false;
  if (trouble === 'pressure') return sinceMs - source.pressedAtMs >= witnessLastsMs;
  return source.answeredAtMs > source.failedAtMs;
}

/**
 * Returns true if another source has met pressure as well: the limit of the whole then learns from both.
 *
 * @param startedMs begin of the call that met pressure. Hanging calls end far apart, so pressure of another source
 * counts from ten seconds before this time.
 */
export function isPressureShared(id: string, sources: Iterable<SourceEvidence>, startedMs: number): boolean {
  for (const source of sources) if (source.id !== id && startedMs - source.pressedAtMs < witnessLastsMs) return true;
  return false;
}

import type { Clock } from '../../../shared/ports/clock.ts';
import type { Pace } from '../store/pace.port.ts';
import type { FinalResult, ResultClaim, ResultScope, ResultStore, StoredResult } from '../store/result-store.port.ts';
import { readAnswer, type Meaning } from './answer-rules.ts';
import type { Api, ApiAnswer } from './api.port.ts';
import type { CallActionSettings } from './call-settings.ts';
import type { CallValues, UserValues } from './call-template.ts';
import { renderCall } from './render-call.ts';
import type { Slots } from './slots.ts';

export interface CallRoundDeps {
  api: Api;
  store: ResultStore;
  pace: Pace;
  slots: Slots;
  clock: Clock;
}

export interface CallRoundTerms {
  settings: CallActionSettings;
  scope: ResultScope;
  values: CallValues;
  /** Time on the monotonic clock after which no request is begun. */
  endsAtMs: number;
}

/** Result of a user. `retryable`: the API refused the user temporarily, and applied nothing. */
export type Outcome = StoredResult | { state: 'retryable'; code: string };

/** Reason why the remaining users are not called for now. */
export interface Stop {
  isMisconfigured: boolean;
  cause: string;
  retryAfterMs: number;
}

export interface CallRound {
  /** Outcomes by user; users without an outcome were not called. */
  outcomes: Map<string, Outcome>;
  stop: Stop | undefined;
}

/** Milliseconds for storing results, in addition to the timeout of the request. */
const storingMs = 10_000;
/**
 * Longest time in milliseconds between the beginning of the claim and the request. A process that was suspended for
 * longer must not send the request, because its claim may expire before the answer.
 */
const latestBeginMs = storingMs / 2;
const unreachablePauseMs = 1000;
const maxPauseMs = 3_600_000;

/** Calls the users in requests of up to `usersPerCall`, and stores their results. */
export async function callUsers(
  users: readonly UserValues[],
  { settings, scope, values, endsAtMs }: CallRoundTerms,
  { api, store, pace, slots, clock }: CallRoundDeps,
): Promise<CallRound> {
  const { id, usersPerCall, perSecond, timeoutMs } = settings;
  const queue = inGroups(users, usersPerCall);
  const outcomes = new Map<string, Outcome>();
  let stop: Stop | undefined;
  const claimTerms = {
    leaseMs: timeoutMs + storingMs,
    keepSeconds: settings.keepSeconds,
    isRepeatable: settings.recognizesRepeats,
  };

  async function lane(): Promise<void> {
    while (queue.length > 0) {
      await slots.acquire();
      try {
        if (!(await isDue())) return;
        const group = queue.shift();
        if (group) await callGroup(group);
      } finally {
        slots.release();
      }
    }
  }

  /**
   * Waits until the rate limit allows the next request. Returns false if no request is allowed before the end of this
   * batch.
   */
  async function isDue(): Promise<boolean> {
    const leftMs = endsAtMs - clock.monotonicMs();
    if (stop || leftMs <= 0) return false;
    if (perSecond === undefined) return true;
    const { isGranted, waitMs } = await pace.take(id, { calls: 1, perSecond, maxWaitMs: leftMs });
    if (isGranted) await clock.sleep(waitMs);
    else
      stop = { isMisconfigured: false, cause: 'the rate of the action is used up, or it pauses', retryAfterMs: waitMs };
    return isGranted;
  }

  async function callGroup(group: readonly UserValues[]): Promise<void> {
    const claimedAtMs = clock.monotonicMs();
    const claim = await store.claim(
      scope,
      group.map(({ user }) => user),
      claimTerms,
    );
    for (const { user } of group) if (!claim.users.has(user)) outcomes.set(user, { state: 'begun' });
    const claimed = group.filter(({ user }) => claim.users.has(user));
    if (claimed.length === 0) return;
    if (clock.monotonicMs() - claimedAtMs > latestBeginMs) {
      await store.release(
        claim,
        claimed.map(({ user }) => user),
      );
      return;
    }
    const answer = await api.send(renderCall(settings, values, claimed));
    await conclude(claim, claimed, answer);
  }

  async function conclude(claim: ResultClaim, called: readonly UserValues[], answer: ApiAnswer): Promise<void> {
    const meanings = meaningsOf(
      answer,
      called.map(({ user }) => user),
      settings,
    );
    const results = new Map<string, FinalResult | { state: 'unknown' }>();
    const again: UserValues[] = [];
    const unapplied: string[] = [];
    for (const [place, values] of called.entries()) {
      const { user } = values;
      const meaning = meanings[place] ?? { is: 'unknown' };
      if (meaning.is === 'succeeded' || meaning.is === 'unknown') results.set(user, { state: meaning.is });
      else if (meaning.is === 'failed' || (meaning.is === 'refused' && called.length === 1))
        results.set(user, { state: 'failed', code: meaning.code });
      else {
        unapplied.push(user);
        if (meaning.is === 'refused') again.push(values);
        else if (meaning.is === 'misconfigured') stop = misconfiguredBy(answer);
        else if (!pausesAction(answer)) outcomes.set(user, { state: 'retryable', code: meaning.code });
      }
    }
    if (results.size > 0) await store.finish(claim, results);
    for (const [user, result] of results) outcomes.set(user, result);
    if (unapplied.length > 0) await store.release(claim, unapplied);
    // If a request is refused as a whole, at least one of its users is invalid. Splitting the request into halves finds
    // these users.
    queue.push(...inGroups(again, Math.ceil(again.length / (again.length === called.length ? 2 : 1))));
    if (unapplied.length > 0 && pausesAction(answer)) await pauseFor(answer);
  }

  async function pauseFor(answer: ApiAnswer): Promise<void> {
    const { cause, waitMs } = pauseOf(answer, settings.pauseMs);
    stop ??= { isMisconfigured: false, cause, retryAfterMs: waitMs };
    await pace.pause(id, waitMs);
  }

  if (perSecond === undefined) {
    const { isGranted, waitMs } = await pace.take(id, { calls: 0, perSecond, maxWaitMs: 0 });
    if (!isGranted)
      return { outcomes, stop: { isMisconfigured: false, cause: 'the action pauses', retryAfterMs: waitMs } };
  }
  const lanes = await Promise.allSettled(Array.from({ length: settings.concurrency }, lane));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return { outcomes, stop };
}

function meaningsOf(answer: ApiAnswer, users: readonly string[], settings: CallActionSettings): Meaning[] {
  if (answer.kind === 'answered') return readAnswer(answer, users, settings);
  if (answer.kind === 'ambiguous') return users.map(() => ({ is: 'unknown' }));
  return users.map(() => ({ is: 'retryable', code: 'not-reached' }));
}

/** Returns true if the answer concerns the API as a whole, not a user. */
function pausesAction(answer: ApiAnswer): boolean {
  if (answer.kind !== 'answered') return answer.kind === 'not-applied';
  return answer.status === 429 || answer.status === 503 || answer.retryAfterMs !== null;
}

function pauseOf(answer: ApiAnswer, usualMs: number): { cause: string; waitMs: number } {
  if (answer.kind !== 'answered')
    return { cause: `the API was not reached: ${answer.cause}`, waitMs: unreachablePauseMs };
  const waitMs = answer.retryAfterMs ?? usualMs;
  return { cause: `the API answered HTTP ${answer.status}`, waitMs: Math.min(waitMs, maxPauseMs) };
}

function misconfiguredBy(answer: ApiAnswer): Stop {
  const cause = answer.kind === 'answered' ? `the API answered HTTP ${answer.status}` : answer.cause;
  return { isMisconfigured: true, cause, retryAfterMs: 0 };
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / Math.max(size, 1)) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
}

import { batchCall, statusQuery, type BatchCall } from '../../shared/contracts/endpoints/batch-actions.ts';
import type {
  BatchAnswer,
  BatchEndpoint,
  BatchRequest,
  StatusRequest,
} from '../../services/worker/endpoint/batch-endpoint.port.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Chance } from './seeded.ts';

/**
 * Behaviours of an endpoint for a call.
 * - `answer`: applies it and answers.
 * - `lost`: applies it, and its answer is lost. `garbage`: applies it and answers 500.
 * - `hang`: it arrives and is applied late, after the caller's time-out. Until then, the endpoint does not know it.
 * - `queue`: it arrives, is not answered in time, and is applied much later. Until then it is in progress.
 * - `unreachable`: the connection is refused. `busy`: 429 with `Retry-After`. Nothing is applied.
 * - `refuse`: 422 before the key is looked at, as a gateway or a validation does. Nothing is applied.
 * - `missing`: applies it, and leaves some users out of its answer. `retryable`: some users were not applied and may be
 *   tried again.
 */
export const troublesomeManners = [
  'lost',
  'garbage',
  'hang',
  'queue',
  'unreachable',
  'busy',
  'refuse',
  'missing',
  'retryable',
] as const;

export type Manner = 'answer' | (typeof troublesomeManners)[number];

/** Behaviours for a status query: it is answered, it gets no answer, or the answer lacks some users. */
export type StatusManner = 'answer' | 'nothing' | 'silent';

/**
 * Memory of the endpoint by class (docs/contracts.md). C and D apply each call, and C can report its effects. `naive`
 * keeps nothing either, and declares class B: for it, only repeats without a doubt count.
 */
export type Keeping = 'A' | 'B' | 'C' | 'D' | 'naive';

export interface ScriptedEndpointOptions {
  steps: number;
  keeping: Keeping;
  /** Returns the behaviour for the next call. */
  mannerOf: (call: BatchCall) => Manner;
  /** Returns the behaviour for the next status query. */
  statusMannerOf: () => StatusManner;
  /** Returns true for users that always fail, by step. */
  fails: (step: number, user: string, isChildRun: boolean) => boolean;
  /** Returns true for users that the check refuses, by step. */
  refused?: ((step: number, user: string) => boolean) | undefined;
  /** User whose call always kills the worker that makes it; null for none. */
  poison: string | null;
  /** Called when a user has an effect in a step for the first time. */
  onApplied?: (step: number, country: string) => void;
  chance: Chance;
  clock: Clock;
  timeoutMs: number;
}

/** The process that makes a call. */
export interface Caller {
  /** True if the process was killed or frozen, so that its calls may come twice or late. */
  readonly wasHurt: boolean;
  kill(): void;
}

/** An endpoint together with the witness of its effects. The witness knows nothing about the engine. */
export interface ScriptedEndpoint {
  /** Returns the endpoint as one process sees it. */
  calledBy(caller: Caller): BatchEndpoint;
  /** Number of keys under which an effect was applied for a user, by step from 1. */
  readonly effects: readonly Map<string, number>[];
  /** Returns the effects of one run by its public id. */
  effectsIn(run: string): readonly Map<string, number>[];
  /** Effects by the public id of their run. */
  readonly effectsByRun: ReadonlyMap<string, readonly Map<string, number>[]>;
  /** Number of calls by step that came during another call of their key, although no worker was frozen. */
  readonly overlapping: readonly number[];
  /**
   * Number of keys by step that were called again after an answer, although no process was killed or frozen. Only used
   * for a sink without memory.
   */
  readonly appliedAgain: readonly number[];
  /** Returns the number of check requests for batches of which a call was not answered. */
  requestedInDoubt(): number;
  /** Times at which calls began, without calls of processes that were frozen. */
  readonly beganAtMs: readonly number[];
}

interface UserResult {
  id: string;
  status: 'succeeded' | 'failed';
  code?: string;
  retryable?: boolean;
}

interface KeyHistory {
  inFlight: Set<Caller>;
  last: Caller | null;
  answer: UserResult[] | null;
  /** True if a call has begun without a complete answer. */
  inDoubt: boolean;
}

/** Upper bound on the delay with which a call arrives after its caller gave up. */
export const lateMs = 8000;
const queuedMs = 20_000;

/** Name of the check in steps that have one. */
export const checkType = 'caps';

export function createScriptedEndpoint(options: ScriptedEndpointOptions): ScriptedEndpoint {
  const { steps, keeping, mannerOf, statusMannerOf, fails, poison, onApplied, chance, clock, timeoutMs } = options;
  let requestInDoubt = 0;
  const noEffects = () => Array.from({ length: steps }, () => new Map<string, number>());
  const effects = noEffects();
  /** Runs in the order of their first calls, so a child run is after its parent. */
  const effectsByRun = new Map<string, Map<string, number>[]>();
  const overlapping = effects.map(() => 0);
  const appliedAgain = effects.map(() => 0);
  const beganAtMs: number[] = [];
  const histories = new Map<string, KeyHistory>();
  const finalByUser = new Map<string, UserResult>();
  /** Results of users that were not applied, and whose calls are in progress. */
  const retryableByUser = new Map<string, UserResult>();
  const inProgress = new Map<string, number>();
  /** In classes C and D, the endpoint applies each call again. */
  const appliesRepeats = keeping === 'C' || keeping === 'D';

  function effectsIn(run: string): Map<string, number>[] {
    const known = effectsByRun.get(run) ?? noEffects();
    effectsByRun.set(run, known);
    return known;
  }

  function resultOf({ run, step, country }: BatchCall, id: string, mayRetry: boolean, isNewKey: boolean): UserResult {
    const effectsOfRun = effectsIn(run);
    const isChildRun = effectsByRun.keys().next().value !== run;
    const known = keeping === 'A' ? finalByUser.get(`${run}/${step}/${id}`) : undefined;
    if (known) return known;
    if (mayRetry && chance.happens(0.3)) {
      const busy: UserResult = { id, status: 'failed', code: 'busy', retryable: true };
      retryableByUser.set(`${run}/${step}/${id}`, busy);
      return busy;
    }
    const result: UserResult = fails(step, id, isChildRun)
      ? { id, status: 'failed', code: 'out-of-stock' }
      : { id, status: 'succeeded' };
    finalByUser.set(`${run}/${step}/${id}`, result);
    if (result.status === 'succeeded' && isNewKey) {
      if (effects[step - 1]?.has(id) !== true) onApplied?.(step, country);
      for (const applied of [effects[step - 1], effectsOfRun[step - 1]]) applied?.set(id, (applied.get(id) ?? 0) + 1);
    }
    return result;
  }

  /** Applies the call according to the class of the endpoint, and returns the answer. */
  function apply(history: KeyHistory, call: BatchCall, mayRetry: boolean): UserResult[] {
    if (keeping === 'B' && history.answer) return history.answer;
    const isNewKey = keeping === 'A' || appliesRepeats || history.answer === null;
    const results = call.users.map((id) => resultOf(call, id, mayRetry, isNewKey));
    history.answer = results;
    return results;
  }

  async function serve(history: KeyHistory, call: BatchCall): Promise<BatchAnswer> {
    const manner = mannerOf(call);
    switch (manner) {
      case 'answer':
      case 'retryable':
        return answered(200, { results: apply(history, call, manner === 'retryable') });
      case 'missing': {
        const results = apply(history, call, false);
        return answered(200, { results: results.filter(() => !chance.happens(0.2)) });
      }
      case 'lost':
        apply(history, call, false);
        return { kind: 'ambiguous', cause: 'the connection was reset' };
      case 'garbage':
        apply(history, call, false);
        return answered(500, { error: 'oops' });
      case 'hang':
        void clock.sleep(timeoutMs + chance.below(lateMs)).then(() => apply(history, call, false));
        await clock.sleep(timeoutMs);
        return { kind: 'ambiguous', cause: `no whole answer within ${timeoutMs} ms` };
      case 'queue':
        void applyQueued(history, call);
        await clock.sleep(timeoutMs);
        return { kind: 'ambiguous', cause: `no whole answer within ${timeoutMs} ms` };
      case 'unreachable':
        return { kind: 'not-applied', cause: 'connection refused' };
      case 'busy':
        return { ...answered(429, {}), retryAfterMs: 1000 };
      case 'refuse':
        return answered(422, { code: 'not-now' });
    }
  }

  async function applyQueued(history: KeyHistory, call: BatchCall): Promise<void> {
    const count = (by: number) => {
      for (const id of call.users) {
        const key = `${call.run}/${call.step}/${id}`;
        inProgress.set(key, (inProgress.get(key) ?? 0) + by);
      }
    };
    count(1);
    await clock.sleep(timeoutMs + chance.below(queuedMs));
    apply(history, call, false);
    count(-1);
  }

  /** Returns the state at this moment. Calls that have not arrived are unknown. */
  function statusOf({ run, step }: Pick<BatchCall, 'run' | 'step'>, id: string): object {
    const key = `${run}/${step}/${id}`;
    const known = finalByUser.get(key);
    if (known) return known;
    if ((inProgress.get(key) ?? 0) > 0) return { id, status: 'in-progress' };
    return retryableByUser.get(key) ?? { id, status: 'not-found' };
  }

  async function requestedBy({ body }: StatusRequest): Promise<BatchAnswer> {
    const { run, step, users } = statusQuery.parse(JSON.parse(body.toString('utf8')));
    await clock.sleep(1 + chance.below(5));
    const manner = statusMannerOf();
    if (manner === 'nothing') return answered(500, {});
    const requested = manner === 'silent' ? users.filter(() => !chance.happens(0.3)) : users;
    return answered(200, { results: requested.map((id) => statusOf({ run, step }, id)) });
  }

  /** Records effects that no fault explains. */
  function witness(history: KeyHistory, caller: Caller, { step }: BatchCall): void {
    beganAtMs.push(...(caller.wasHurt ? [] : [clock.monotonicMs()]));
    const isHurt = caller.wasHurt || [...history.inFlight].some(({ wasHurt }) => wasHurt);
    if (history.inFlight.size > 0 && !isHurt) overlapping[step - 1] = (overlapping[step - 1] ?? 0) + 1;
    const isRepeat = keeping === 'naive' && history.last && !history.last.wasHurt && !caller.wasHurt;
    if (isRepeat) appliedAgain[step - 1] = (appliedAgain[step - 1] ?? 0) + 1;
  }

  /** Answers a check request by the state at this moment, without an effect. */
  async function check({ idempotencyKey, body }: BatchRequest): Promise<BatchAnswer> {
    const call = batchCall.parse(JSON.parse(body.toString('utf8')));
    // In class C a status query settles a lost call, and the call itself does not show this.
    const ofCall = histories.get(idempotencyKey.replace(/-check-\d+$/, ''));
    if (ofCall?.inDoubt === true && keeping !== 'C') requestInDoubt++;
    await clock.sleep(1 + chance.below(5));
    const manner = mannerOf(call);
    const results = call.users.map((id): UserResult => {
      return options.refused?.(call.step, id)
        ? { id, status: 'failed', code: 'cap-reached' }
        : { id, status: 'succeeded' };
    });
    if (manner === 'answer' || manner === 'retryable') return answered(200, { results });
    if (manner === 'missing') return answered(200, { results: results.filter(() => !chance.happens(0.2)) });
    if (manner === 'unreachable') return { kind: 'not-applied', cause: 'connection refused' };
    if (manner === 'busy') return { ...answered(429, {}), retryAfterMs: 1000 };
    if (manner === 'refuse') return answered(422, { code: 'not-now' });
    await clock.sleep(timeoutMs);
    return { kind: 'ambiguous', cause: `no whole answer within ${timeoutMs} ms` };
  }

  async function callBy(caller: Caller, request: BatchRequest): Promise<BatchAnswer> {
    const { actionType, idempotencyKey, notAfterMs, body } = request;
    if (actionType === checkType) return check(request);
    // Checks the clock right before the call leaves the process, like the HTTP client.
    if (clock.monotonicMs() > notAfterMs) return { kind: 'not-applied', cause: 'came too late to be sent' };
    const call = batchCall.parse(JSON.parse(body.toString('utf8')));
    const history = histories.get(idempotencyKey) ?? { inFlight: new Set(), last: null, answer: null, inDoubt: true };
    histories.set(idempotencyKey, history);
    witness(history, caller, call);
    history.inFlight.add(caller);
    history.inDoubt = true;
    if (poison !== null && call.users.includes(poison)) caller.kill();
    // An answer takes a moment, so that other calls can come in between.
    await clock.sleep(1 + chance.below(5));
    const answer = await serve(history, call);
    history.inFlight.delete(caller);
    history.inDoubt = answer.kind === 'ambiguous' || (answer.kind === 'answered' && answer.status === 500);
    if (answer.kind === 'answered' && answer.status === 200) history.last = caller;
    return answer;
  }

  return {
    calledBy: (caller) => ({ call: (request) => callBy(caller, request), askStatus: requestedBy }),
    effects,
    effectsIn,
    effectsByRun,
    overlapping,
    appliedAgain,
    requestedInDoubt: () => requestInDoubt,
    beganAtMs,
  };
}

function answered(status: number, body: object): Extract<BatchAnswer, { kind: 'answered' }> {
  return { kind: 'answered', status, retryAfterMs: null, body: Buffer.from(JSON.stringify(body)) };
}

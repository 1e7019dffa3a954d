import { batchCall, type BatchCall } from '../../shared/contracts/batch-actions.ts';
import type { BatchAnswer, BatchEndpoint, BatchRequest } from '../../services/worker/ports/batch-endpoint.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Chance } from './seeded.ts';

/**
 * What an endpoint does with a call.
 *
 * - `answer`: applies it and answers.
 * - `lost`: applies it, and its answer is lost. `garbage`: applies it and answers 500.
 * - `hang`: applies it late, when the caller has given up.
 * - `unreachable`: the connection is refused. `busy`: 429 with `Retry-After`. Nothing is applied.
 * - `refuse`: 422 before the key is looked at, as a gateway or a validation does. Nothing is applied.
 * - `missing`: applies it, and leaves some users out of its answer. `retryable`: some users were not applied and may be tried again.
 */
export const manners = [
  'answer',
  'lost',
  'garbage',
  'hang',
  'unreachable',
  'busy',
  'refuse',
  'missing',
  'retryable',
] as const;

export type Manner = (typeof manners)[number];

/** What the endpoint keeps (docs/contracts.md). `naive` keeps nothing: whatever comes is applied. */
export type Keeping = 'A' | 'B' | 'naive';

export interface ScriptedEndpointOptions {
  steps: number;
  keeping: Keeping;
  /** How the next call is treated. */
  mannerOf: (call: BatchCall) => Manner;
  /** Users that fail for good, by step. */
  fails: (step: number, user: string) => boolean;
  chance: Chance;
  clock: Clock;
  timeoutMs: number;
}

/** An endpoint and the witness of what it did, which knows nothing of the engine. */
export interface ScriptedEndpoint extends BatchEndpoint {
  /** By step from 1: how often an effect was applied for a user. */
  readonly effects: readonly Map<string, number>[];
  /** Calls of one key that were on their way at the same time. */
  readonly overlaps: string[];
  /** Calls that came while nothing was to be called any more, by key. */
  readonly calls: { key: string; runId: string; step: number; users: readonly string[]; atMs: number }[];
}

interface UserResult {
  id: string;
  status: 'succeeded' | 'failed';
  code?: string;
  retryable?: boolean;
}

export function createScriptedEndpoint(options: ScriptedEndpointOptions): ScriptedEndpoint {
  const { steps, keeping, mannerOf, fails, chance, clock, timeoutMs } = options;
  const effects = Array.from({ length: steps }, () => new Map<string, number>());
  const answersByKey = new Map<string, UserResult[]>();
  const finalByUser = new Map<string, UserResult>();
  const inFlight = new Set<string>();
  const overlaps: string[] = [];
  const calls: ScriptedEndpoint['calls'] = [];

  function resultOf({ step }: BatchCall, id: string, mayRetry: boolean): UserResult {
    const known = keeping === 'A' ? finalByUser.get(`${step}/${id}`) : undefined;
    if (known) return known;
    if (mayRetry && chance.happens(0.3)) return { id, status: 'failed', code: 'busy', retryable: true };
    const result: UserResult = fails(step, id)
      ? { id, status: 'failed', code: 'out-of-stock' }
      : { id, status: 'succeeded' };
    finalByUser.set(`${step}/${id}`, result);
    if (result.status === 'succeeded') {
      const applied = effects[step - 1];
      applied?.set(id, (applied.get(id) ?? 0) + 1);
    }
    return result;
  }

  /** Applies the call as the endpoint's class says, and tells what it would answer. */
  function apply(key: string, call: BatchCall, mayRetry: boolean): UserResult[] {
    const known = keeping === 'B' ? answersByKey.get(key) : undefined;
    if (known) return known;
    const results = call.users.map((id) => resultOf(call, id, mayRetry));
    answersByKey.set(key, results);
    return results;
  }

  async function serve({ idempotencyKey: key, body }: BatchRequest): Promise<BatchAnswer> {
    const call = batchCall.parse(JSON.parse(body.toString('utf8')));
    calls.push({ key, runId: call.run, step: call.step, users: call.users, atMs: clock.now().getTime() });
    const manner = mannerOf(call);
    switch (manner) {
      case 'answer':
      case 'retryable':
        return answered(200, { results: apply(key, call, manner === 'retryable') });
      case 'missing': {
        const results = apply(key, call, false);
        return answered(200, { results: results.filter(() => !chance.happens(0.2)) });
      }
      case 'lost':
        apply(key, call, false);
        return { kind: 'ambiguous', cause: 'the connection was reset' };
      case 'garbage':
        apply(key, call, false);
        return answered(500, { error: 'oops' });
      case 'hang':
        await clock.sleep(timeoutMs);
        apply(key, call, false);
        return { kind: 'ambiguous', cause: `no whole answer within ${timeoutMs} ms` };
      case 'unreachable':
        return { kind: 'not-applied', cause: 'connection refused' };
      case 'busy':
        return { ...answered(429, {}), retryAfterMs: 1000 };
      case 'refuse':
        return answered(422, { code: 'not-now' });
    }
  }

  return {
    effects,
    overlaps,
    calls,
    call: async (request) => {
      const key = request.idempotencyKey;
      if (inFlight.has(key)) overlaps.push(key);
      inFlight.add(key);
      // An answer takes a moment, so that others can come in between.
      await clock.sleep(1 + chance.below(5));
      const answer = await serve(request);
      inFlight.delete(key);
      return answer;
    },
  };
}

function answered(status: number, body: object): Extract<BatchAnswer, { kind: 'answered' }> {
  return { kind: 'answered', status, retryAfterMs: null, body: Buffer.from(JSON.stringify(body)) };
}

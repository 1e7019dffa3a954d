import { batchCall } from '../../shared/contracts/batch-actions.ts';
import type { BatchEndpoint } from '../../services/worker/ports/batch-endpoint.ts';
import type { Segmentation } from '../../services/trigger/ports/segmentation.ts';

/** Segments by country, in memory. */
export function createSimulatedSegmentation(audience: ReadonlyMap<string, readonly string[]>): Segmentation {
  const usersOf = (country: string) => audience.get(country) ?? [];
  return {
    describe: (segment, country) =>
      Promise.resolve({ ok: true, value: { id: segment, country, estimate: usersOf(country).length, snapshot: 's1' } }),
    page: ({ country, after, limit }) => {
      const rest = usersOf(country).filter((user) => after === null || user > after);
      const users = rest.slice(0, limit);
      return Promise.resolve({ ok: true, value: { users, next: rest.length > limit ? (users.at(-1) ?? null) : null } });
    },
  };
}

/** An endpoint of class B: it knows a key again and gives its first answer; under another key it awards again. */
export interface SimulatedEndpoint extends BatchEndpoint {
  /** By step from 1: how often an effect was applied for a user. */
  readonly effects: readonly Map<string, number>[];
  /** Calls that came a second time under the same key. */
  repeats(): number;
}

export interface SimulatedEndpointOptions {
  steps: number;
  /** Users that fail, by step. */
  fails: (step: number, user: string) => boolean;
}

export function createSimulatedEndpoint({ steps, fails }: SimulatedEndpointOptions): SimulatedEndpoint {
  const effects = Array.from({ length: steps }, () => new Map<string, number>());
  const answers = new Map<string, string>();
  let repeats = 0;
  return {
    effects,
    repeats: () => repeats,
    call: ({ idempotencyKey, body }) => {
      const known = answers.get(idempotencyKey);
      if (known !== undefined) {
        repeats++;
        return Promise.resolve({ kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from(known) });
      }
      const { step, users } = batchCall.parse(JSON.parse(body.toString('utf8')));
      const applied = effects[step - 1];
      const results = users.map((id) => {
        if (fails(step, id)) return { id, status: 'failed', code: 'out-of-stock' };
        applied?.set(id, (applied.get(id) ?? 0) + 1);
        return { id, status: 'succeeded' };
      });
      const answer = JSON.stringify({ results });
      answers.set(idempotencyKey, answer);
      return Promise.resolve({ kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from(answer) });
    },
  };
}

import { v7 as uuidv7 } from 'uuid';
import type { IdempotentRequests } from '../../../services/api/frame/idempotent-requests.port.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

const takenForDeadAfterMs = 60_000;

export function createMemoryIdempotentRequests({ database }: { database: MemoryDatabase }): IdempotentRequests {
  const { idempotentRequests: requests, clock } = database;
  const idOf = (apiKey: string, idempotencyKey: string) => `${apiKey}/${idempotencyKey}`;

  return {
    begin: (apiKey, idempotencyKey, bodyDigest) =>
      atOnce(() => {
        const id = idOf(apiKey, idempotencyKey);
        const earlier = requests.get(id);
        if (earlier && earlier.bodyDigest !== bodyDigest) return { kind: 'other-body' };
        if (earlier?.answer) return { kind: 'stored', answer: earlier.answer };
        if (earlier && clock.nowMs() - earlier.createdAtMs <= takenForDeadAfterMs) return { kind: 'in-progress' };
        const createdId = earlier?.createdId ?? uuidv7();
        requests.set(id, { bodyDigest, answer: null, createdAtMs: clock.nowMs(), createdId });
        return { kind: 'new', createdId };
      }),

    complete: (apiKey, idempotencyKey, answer) =>
      atOnce(() => {
        const request = requests.get(idOf(apiKey, idempotencyKey));
        if (request) request.answer ??= answer;
      }),

    abandon: (apiKey, idempotencyKey) =>
      atOnce(() => {
        const id = idOf(apiKey, idempotencyKey);
        if (requests.get(id)?.answer === null) requests.delete(id);
      }),
  };
}

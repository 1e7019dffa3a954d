import type { Explanation } from './explanation.ts';

export interface CallKey {
  step: number;
  key: string;
}

/** Returns the idempotency keys of the calls for a user, each key once, in the order of their first calls. */
export function listCallKeys({ steps }: Explanation): CallKey[] {
  const keys = new Map<string, CallKey>();
  for (const { step, attempts } of steps) {
    for (const { idempotencyKey: key } of attempts) if (!keys.has(key)) keys.set(key, { step, key });
  }
  return [...keys.values()];
}

import type { Explanation } from './explanation.ts';

export interface CallKey {
  step: number;
  key: string;
}

/** Returns each idempotency key of the calls for a user once, in the order of its first call. */
export function callKeys({ steps }: Explanation): CallKey[] {
  const keys = new Map<string, CallKey>();
  for (const { step, attempts } of steps) {
    for (const { idempotencyKey: key } of attempts) if (!keys.has(key)) keys.set(key, { step, key });
  }
  return [...keys.values()];
}

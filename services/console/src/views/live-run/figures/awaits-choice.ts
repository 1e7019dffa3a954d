import type { RunProgress } from '#client/types.gen.ts';

/** Returns true if the canary has ended, and a person has to choose the variant of all other users. */
export function awaitsChoice({ canary, variantChoice, endedAt }: AwaitingRun): boolean {
  return canary === 'waits' && variantChoice?.chosen === null && endedAt === null;
}

type AwaitingRun = Pick<RunProgress, 'canary' | 'variantChoice' | 'endedAt'>;

import type { RunProgress } from '#client/types.gen.ts';

/**
 * Returns the users who wait. `untouched` users have not begun step 1. `halfWay` users have completed a step and wait
 * for the next step.
 */
export function countWaitingUsers({ steps }: Pick<RunProgress, 'steps'>): { untouched: number; halfWay: number } {
  const untouched = steps[0]?.pending ?? 0;
  const pending = steps.at(-1)?.pending ?? 0;
  return { untouched, halfWay: Math.max(0, pending - untouched) };
}

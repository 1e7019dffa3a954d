/** A statement in front of which this stands is carried out, and answers with what that took. */
export const explained = 'explain (analyze, buffers, format json)';

export interface Plan {
  'QUERY PLAN': [{ Plan: Record<string, number> }];
}

/** Pages of 8 KiB that a statement has looked at, in memory or not. */
export function pagesOf(row: Plan | undefined): number {
  const plan = row?.['QUERY PLAN'][0].Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

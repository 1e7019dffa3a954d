/** Prefix that executes a statement and returns its plan with costs. */
export const explained = 'explain (analyze, buffers, format json)';

export interface Plan {
  'QUERY PLAN': [{ Plan: Record<string, number> }];
}

/** Returns the number of 8 KiB pages that a statement has read, from memory or disk. */
export function pagesOf(row: Plan | undefined): number {
  const plan = row?.['QUERY PLAN'][0].Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

interface Plan {
  'Relation Name'?: string;
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** A row of `explain (analyze, format json)`. */
export interface ExplainedRow {
  'QUERY PLAN': { Plan: Plan }[];
}

/** Counts the rows of jobs that a plan has read, over all loops. */
export function rowsReadOf(plan: Plan | undefined): number {
  if (!plan) throw new Error('nothing was planned');
  const ofOthers = (plan.Plans ?? []).reduce((sum, part) => sum + rowsReadOf(part), 0);
  if (plan['Relation Name'] !== 'jobs') return ofOthers;
  return ofOthers + (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
}

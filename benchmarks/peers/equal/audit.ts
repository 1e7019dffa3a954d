/** Stored outcome of one step of one batch. */
export interface StoredStep {
  batch: number;
  step: number;
  succeeded: number;
  /** Users that the failures of this step list. */
  failed: readonly string[];
}

/** Content that should be stored: batches from 0, both steps, and in each step one user that fails. */
export interface ExpectedBatches {
  batches: number;
  usersPerBatch: number;
}

const steps = [1, 2] as const;

/** Returns a line for each step that is missing, stored twice, or stored with other figures than those of its call. */
export function auditSteps(stored: readonly StoredStep[], { batches, usersPerBatch }: ExpectedBatches): string[] {
  const found = Map.groupBy(stored, ({ batch, step }) => `${batch}-${step}`);
  const problems: string[] = [];
  for (let batch = 0; batch < batches; batch++) {
    for (const step of steps) {
      const rows = found.get(`${batch}-${step}`) ?? [];
      const problem = problemOf(rows, usersPerBatch - step);
      if (problem !== undefined) problems.push(`batch ${batch}, step ${step}: ${problem}`);
      found.delete(`${batch}-${step}`);
    }
  }
  return [...problems, ...[...found.keys()].map((key) => `${key}: nobody asked for this batch and step`)];
}

function problemOf(rows: readonly StoredStep[], succeeded: number): string | undefined {
  const [row] = rows;
  if (row === undefined) return 'no outcome row';
  if (rows.length > 1) return `${rows.length} outcome rows`;
  if (row.succeeded !== succeeded) return `${row.succeeded} users succeeded instead of ${succeeded}`;
  return row.failed.length === 1 ? undefined : `${row.failed.length} failed users are listed instead of 1`;
}

import { Pool, type PoolClient } from 'pg';
import { z } from 'zod';
import { endsBatch, type StepOutcome } from './step-job.ts';

/**
 * Outcome rows, one for each step of a batch, and a row for each user that failed. Each peer writes the same rows. The
 * row of the first step has the batch's users, because a report has to name them.
 */
const schema = `
  create table if not exists step_outcomes (
    batch int, step smallint, succeeded int not null, users text, ends_batch boolean not null,
    primary key (batch, step)
  );
  create table if not exists step_failures (batch int, step smallint, user_id text, primary key (batch, step, user_id));
`;

/** A step that a crash repeats writes its rows again; the rows of the first time stay. */
const insertOutcomes = `
  insert into step_outcomes
  select * from unnest($1::int[], $2::smallint[], $3::int[], $4::text[], $5::boolean[])
  on conflict do nothing`;
const insertFailures = `
  insert into step_failures select * from unnest($1::int[], $2::smallint[], $3::text[]) on conflict do nothing`;

export const stepSums = z.object({ batches: z.int(), succeeded: z.int(), steps: z.int() });

export type StepSums = z.infer<typeof stepSums>;

export interface StepRows {
  create(): Promise<void>;
  clear(): Promise<void>;
  /** Writes rows in one transaction, together with what `also` writes. */
  write(outcomes: readonly StepOutcome[], also?: (client: PoolClient) => Promise<void>): Promise<void>;
  /** Resolves with the sums over the stored rows: ended batches, the users that succeeded in them, and all steps. */
  sum(): Promise<StepSums>;
  close(): Promise<void>;
}

export function openStepRows(databaseUrl: string, connections: number): StepRows {
  const pool = new Pool({ connectionString: databaseUrl, max: connections });

  async function transact(work: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(client);
      await client.query('commit');
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  return {
    create: async () => {
      await pool.query(schema);
    },
    clear: async () => {
      await pool.query('truncate step_outcomes, step_failures');
    },
    write: async (outcomes, also) => {
      const hasFailures = outcomes.some(({ failed }) => failed.length > 0);
      if (!hasFailures && !also) {
        await pool.query(outcomesQuery(outcomes));
        return;
      }
      await transact(async (client) => {
        await client.query(outcomesQuery(outcomes));
        if (hasFailures) await client.query(failuresQuery(outcomes));
        await also?.(client);
      });
    },
    sum: async () => {
      const { rows } = await pool.query(
        `select (count(*) filter (where ends_batch))::int batches, count(*)::int steps,
           coalesce(sum(succeeded) filter (where ends_batch), 0)::int succeeded
         from step_outcomes`,
      );
      return stepSums.parse(rows[0]);
    },
    close: () => pool.end(),
  };
}

function outcomesQuery(outcomes: readonly StepOutcome[]) {
  const values = [
    outcomes.map(({ job }) => job.batch),
    outcomes.map(({ job }) => job.step),
    outcomes.map(({ job, failed }) => job.count - failed.length),
    outcomes.map(({ job }) => (job.step === 1 ? job.users : null)),
    outcomes.map(endsBatch),
  ];
  return { name: 'step-outcomes', text: insertOutcomes, values };
}

function failuresQuery(outcomes: readonly StepOutcome[]) {
  const failures = outcomes.flatMap(({ job, failed }) => failed.map((id) => ({ ...job, id })));
  const values = [failures.map(({ batch }) => batch), failures.map(({ step }) => step), failures.map(({ id }) => id)];
  return { name: 'step-failures', text: insertFailures, values };
}

import pg, { type PoolClient } from 'pg';
import type { BatchRequest } from '../../../../shared/contracts/endpoints/read-batch-request.ts';
import type { GuardedSockets } from '../../../../shared/runtime/egress/guarded-sockets.ts';
import { replaceParameters, valueOf, type Parameter } from '../placeholders.ts';
import type { ServerSettings } from '../source.port.ts';
import {
  refusingClasses,
  TargetError,
  type SqlActionSettings,
  type FirstResults,
  type Target,
} from '../target.port.ts';
import { openPool } from './open-pool.ts';
import { passingClasses } from './passing-classes.ts';

/** Opens another team's Postgres for actions. */
export function createPostgresTarget(
  settings: Pick<ServerSettings, 'url' | 'maxConnections'>,
  sockets: GuardedSockets,
): Target {
  const pool = openPool(settings, sockets);

  async function apply(action: SqlActionSettings, request: BatchRequest): Promise<FirstResults> {
    const client = await pool.connect().catch((error: unknown) => {
      throw targetErrorOf(error);
    });
    let isCommitting = false;
    try {
      const { timeoutMs } = action;
      await client.query(
        `begin isolation level read committed; set local statement_timeout = ${timeoutMs};
         set local idle_in_transaction_session_timeout = ${timeoutMs}`,
      );
      const results = await applyIn(client, action, request);
      isCommitting = request.mode === 'live';
      await client.query(isCommitting ? 'commit' : 'rollback');
      client.release();
      return results;
    } catch (error) {
      client.release(true);
      const found = targetErrorOf(error);
      // If the server did not answer the commit, the commit may have happened.
      throw isCommitting && found.sqlState === undefined ? new TargetError('unknown', error) : found;
    }
  }

  return { apply, close: () => pool.end() };
}

/**
 * Applies the action within a transaction. It first claims the users without a result, so that a concurrent call for
 * one of these users waits for the end of this transaction.
 */
async function applyIn(client: PoolClient, action: SqlActionSettings, request: BatchRequest): Promise<FirstResults> {
  const { run, step, users } = request.call;
  const { results: table, failureCode } = action;
  const { rows: claimed } = await client.query<{ user_id: string }>(
    `insert into ${table} (run, step, user_id)
     select $1, $2, u from unnest($3::text[]) u order by u collate "C" on conflict do nothing returning user_id`,
    [run, step, users],
  );
  if (claimed.length > 0) {
    const fresh = claimed.map((row) => row.user_id);
    const served = await runStatements(client, action, request, fresh);
    const failed = fresh.filter((user) => !served.has(user));
    await client.query(`update ${table} set code = $4 where run = $1 and step = $2 and user_id = any($3::text[])`, [
      run,
      step,
      failed,
      failureCode,
    ]);
  }
  const { rows } = await client.query<{ user_id: string; code: string | null }>(
    `select user_id, code from ${table} where run = $1 and step = $2 and user_id = any($3::text[])`,
    [run, step, users],
  );
  return new Map(rows.map((row) => [row.user_id, row.code]));
}

const types: Record<Parameter, string> = {
  users: 'text[]',
  params: 'jsonb',
  key: 'text',
  campaign: 'text',
  run: 'text',
  step: 'int',
  country: 'text',
};

async function runStatements(
  client: PoolClient,
  { statements }: SqlActionSettings,
  { key, call }: BatchRequest,
  users: readonly string[],
): Promise<ReadonlySet<string>> {
  let returned: pg.QueryResult<Record<string, unknown>> | undefined;
  for (const statement of statements) {
    const used: Parameter[] = [];
    const text = replaceParameters(statement, (parameter) => {
      if (!used.includes(parameter)) used.push(parameter);
      return `($${used.indexOf(parameter) + 1}::${types[parameter]})`;
    });
    const values = used.map((parameter) => (parameter === 'users' ? users : valueOf(parameter, key, call)));
    returned = await client.query<Record<string, unknown>>(text, values);
  }
  if (!returned?.fields.some(({ name }) => name === 'user_id'))
    throw new TargetError('misconfigured', 'the last statement has to return the column user_id');
  return new Set(returned.rows.map((row) => String(row['user_id'])));
}

const readOnlyTransaction = '25006';

function targetErrorOf(error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  if (!(error instanceof pg.DatabaseError)) return new TargetError('not-applied', error);
  const code = error.code ?? '';
  const sqlClass = code.slice(0, 2);
  if (refusingClasses.includes(sqlClass)) return new TargetError('refused', error, code);
  // After a failover, the former primary is read-only until connections reach the new one, so this error is temporary.
  const passes = passingClasses.includes(sqlClass) || code === readOnlyTransaction;
  return new TargetError(passes ? 'not-applied' : 'misconfigured', error, code);
}

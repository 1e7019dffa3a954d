import { randomUUID } from 'node:crypto';
import type { PoolConnection } from 'mysql2';
import { z } from 'zod';
import type { BatchRequest } from '../../../../shared/contracts/endpoints/read-batch-request.ts';
import type { GuardedSockets } from '../../../../shared/runtime/egress/guarded-sockets.ts';
import { compareUserIds } from '../../../../shared/domain/ids/user-id.ts';
import { replaceParameters, valueOf } from '../placeholders.ts';
import type { ServerSettings } from '../source.port.ts';
import {
  refusingClasses,
  TargetError,
  type SqlActionSettings,
  type FirstResults,
  type Target,
} from '../target.port.ts';
import {
  closePool,
  connect,
  execute,
  marksFor,
  openPool,
  passing,
  run,
  serverErrorOf,
  timeLimitOf,
  timeouts,
  type Executed,
  type Value,
} from './connection.ts';

/** Opens another team's MySQL or MariaDB for actions. */
export function createMysqlTarget(
  settings: Pick<ServerSettings, 'url' | 'maxConnections'>,
  sockets: GuardedSockets,
): Target {
  const pool = openPool(settings, sockets);

  async function apply(action: SqlActionSettings, request: BatchRequest): Promise<FirstResults> {
    const connection = await connect(pool).catch((error: unknown) => {
      throw targetErrorOf(error);
    });
    let isCommitting = false;
    try {
      await run(connection, await timeLimitOf(connection, action.timeoutMs));
      const seconds = Math.ceil(action.timeoutMs / 1000);
      // If a process is suspended during its transaction, it must not lock its users for longer than a statement may
      // take.
      await run(connection, `set session innodb_lock_wait_timeout = ${seconds}, wait_timeout = ${seconds}`);
      await run(connection, 'start transaction');
      const results = await applyIn(connection, action, request);
      isCommitting = request.mode === 'live';
      await run(connection, isCommitting ? 'commit' : 'rollback');
      connection.release();
      return results;
    } catch (error) {
      connection.destroy();
      const found = targetErrorOf(error);
      // If the server did not answer the commit, the commit may have happened.
      throw isCommitting && serverErrorOf(error) === undefined ? new TargetError('unknown', error) : found;
    }
  }

  return { apply, close: () => closePool(pool) };
}

const text = z.union([z.string(), z.number(), z.bigint(), z.instanceof(Buffer)]).transform(String);
const userRows = z.array(z.object({ user_id: text }));
const resultRows = z.array(z.object({ user_id: text, code: text.nullable() }));

/**
 * Applies the action within a transaction. It first claims the users without a result, so that a concurrent call for
 * one of these users waits for the end of this transaction.
 */
async function applyIn(
  connection: PoolConnection,
  action: SqlActionSettings,
  request: BatchRequest,
): Promise<FirstResults> {
  const { run: runId, step } = request.call;
  const { results: table, failureCode } = action;
  // Users are sorted, so that two calls for the same users cannot deadlock.
  const users = request.call.users.toSorted(compareUserIds);
  const claim = randomUUID();
  await execute(
    connection,
    `insert into ${table} (run, step, user_id, claim) values ${users.map(() => '(?, ?, ?, ?)').join(', ')}
     on duplicate key update step = values(step)`,
    users.flatMap((user) => [runId, step, user, claim]),
  );
  const ofUsers = `from ${table} where run = ? and step = ? and user_id in (${marksFor(users)})`;
  const claimed = await execute(connection, `select user_id ${ofUsers} and claim = ?`, [runId, step, ...users, claim]);
  const fresh = userRows.parse(claimed.rows).map((row) => row.user_id);
  if (fresh.length > 0) {
    const served = await runStatements(connection, action, request, fresh);
    const failed = fresh.filter((user) => !served.has(user));
    if (failed.length > 0)
      await execute(
        connection,
        `update ${table} set code = ? where run = ? and step = ? and user_id in (${marksFor(failed)})`,
        [failureCode, runId, step, ...failed],
      );
  }
  const results = await execute(connection, `select user_id, code ${ofUsers}`, [runId, step, ...users]);
  return new Map(resultRows.parse(results.rows).map((row) => [row.user_id, row.code]));
}

async function runStatements(
  connection: PoolConnection,
  { statements }: SqlActionSettings,
  { key, call }: BatchRequest,
  users: readonly string[],
): Promise<ReadonlySet<string>> {
  let returned: Executed = { rows: [], columns: [] };
  for (const statement of statements) {
    const values: Value[] = [];
    const sql = replaceParameters(statement, (parameter) => {
      const own = parameter === 'users' ? users : [valueOf(parameter, key, call)];
      values.push(...own);
      return marksFor(own);
    });
    returned = await execute(connection, sql, values);
  }
  if (!returned.columns.includes('user_id'))
    throw new TargetError('misconfigured', 'the last statement has to return the column user_id');
  return new Set(userRows.parse(returned.rows).map((row) => row.user_id));
}

function targetErrorOf(error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const found = serverErrorOf(error);
  if (!found) return new TargetError('not-applied', error);
  const { errno, sqlState } = found;
  if (passing.includes(errno) || timeouts.includes(errno)) return new TargetError('not-applied', error, sqlState);
  const isRefused = refusingClasses.includes(sqlState.slice(0, 2));
  return new TargetError(isRefused ? 'refused' : 'misconfigured', error, sqlState);
}

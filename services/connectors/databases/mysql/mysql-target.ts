import { randomUUID } from 'node:crypto';
import type { FieldPacket, PoolConnection } from 'mysql2';
import { z } from 'zod';
import type { BatchRequest } from '../../../../shared/contracts/endpoints/read-batch-request.ts';
import { compareUserIds } from '../../../../shared/domain/ids/user-id.ts';
import { replaceParameters, valueOf } from '../placeholders.ts';
import type { DatabaseSettings } from '../source.port.ts';
import { refusingClasses, TargetError, type ActionSettings, type FirstResults, type Target } from '../target.port.ts';
import { closePool, connect, openPool, passing, run, serverErrorOf, timeLimitOf, timeouts } from './connection.ts';

/** Opens a MySQL or MariaDB of another team for actions. */
export function createMysqlTarget(settings: Pick<DatabaseSettings, 'url' | 'maxConnections'>): Target {
  const pool = openPool(settings);

  async function apply(action: ActionSettings, request: BatchRequest): Promise<FirstResults> {
    const connection = await connect(pool).catch((error: unknown) => {
      throw targetErrorOf(error);
    });
    let isCommitting = false;
    try {
      await run(connection, await timeLimitOf(connection, action.timeoutMs));
      await run(connection, `set session innodb_lock_wait_timeout = ${Math.ceil(action.timeoutMs / 1000)}`);
      await run(connection, 'start transaction');
      const results = await applyIn(connection, action, request);
      isCommitting = request.mode === 'live';
      await run(connection, isCommitting ? 'commit' : 'rollback');
      connection.release();
      return results;
    } catch (error) {
      connection.destroy();
      const found = targetErrorOf(error);
      // Without an answer of the server, the commit may have happened.
      throw isCommitting && serverErrorOf(error) === undefined ? new TargetError('unknown', error) : found;
    }
  }

  return { apply, close: () => closePool(pool) };
}

type Value = string | number | null;

const text = z.union([z.string(), z.number(), z.bigint(), z.instanceof(Buffer)]).transform(String);
const userRows = z.array(z.object({ user_id: text }));
const resultRows = z.array(z.object({ user_id: text, code: text.nullable() }));

/** Claims the users without a result first: another call for one of them waits for the end of this transaction. */
async function applyIn(
  connection: PoolConnection,
  action: ActionSettings,
  request: BatchRequest,
): Promise<FirstResults> {
  const { run: runId, step } = request.call;
  const { results: table, failureCode } = action;
  // In one order, so that two calls for the same users cannot block each other.
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
  { statements }: ActionSettings,
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

function marksFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

interface Executed {
  rows: unknown;
  columns: readonly string[];
}

/** Values are sent beside the text, so no mode of the server can make one of them a part of it. */
function execute(connection: PoolConnection, sql: string, values: readonly Value[]): Promise<Executed> {
  return new Promise((resolve, reject) => {
    connection.execute(sql, [...values], (error: unknown, rows: unknown, fields: FieldPacket[] | undefined) => {
      if (error instanceof Error) reject(error);
      else resolve({ rows, columns: fields?.map(({ name }) => name) ?? [] });
    });
  });
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

import { finished } from 'node:stream/promises';
import pg, { type Pool, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { dropTable } from '../../../../shared/postgres/connection/partition-changes.ts';
import { onlyRow } from '../../../../shared/postgres/connection/rows.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { Claim, Member, SnapshotState, SnapshotStore } from '../snapshot-store.port.ts';
import {
  claimSnapshot,
  deleteUnused,
  failSnapshot,
  finishSnapshot,
  insertSnapshot,
  lockSegment,
  renewClaim,
  selectCounts,
  selectCurrent,
  selectSnapshot,
  selectStrayTables,
  touchSnapshot,
} from './snapshot-statements.ts';

const undefinedTable = '42P01';

interface SnapshotRow {
  id: string;
  segment: string;
  state: SnapshotState;
  epoch: number;
  cause: string | null;
  isRefused: boolean | null;
  retryInMs: number | null;
  isTouchDue: boolean;
}

/**
 * @param pool pool from `createHotPathPool`. Other pools may keep a slow plan that was made while the tables were
 * empty.
 */
export function createSnapshotStore(pool: Pool): SnapshotStore {
  return {
    current: ({ id: segment, definition, reuseMs, keepSeconds }) =>
      inTransaction(pool, async (client) => {
        await client.query(lockSegment.with({ segment }));
        const { rows } = await client.query<{ id: string }>(selectCurrent.with({ segment, definition, reuseMs }));
        const [found] = rows;
        if (!found) {
          const inserted = await client.query<{ id: string }>(
            insertSnapshot.with({ segment, definition, keepSeconds }),
          );
          return onlyRow(inserted.rows).id;
        }
        await client.query(touchSnapshot.with({ id: found.id }));
        return found.id;
      }),

    read: async (id, segment) => {
      if (!uuid.test(id)) return undefined;
      const { rows } = await pool.query<SnapshotRow>(selectSnapshot.with({ id, segment }));
      const [row] = rows;
      if (!row) return undefined;
      if (row.isTouchDue) await pool.query(touchSnapshot.with({ id }));
      const { state, epoch, cause, isRefused, retryInMs } = row;
      const failure =
        state === 'failed' && cause !== null
          ? { cause, isRefused: isRefused ?? false, retryInMs: retryInMs ?? 0 }
          : undefined;
      return { id, segment, state, epoch, failure };
    },

    claim: async (id, leaseMs) => {
      const { rows } = await pool.query<{ epoch: number }>(claimSnapshot.with({ id, leaseMs }));
      return rows[0] && { id, epoch: rows[0].epoch };
    },

    renew: async (claim, leaseMs) => (await pool.query(renewClaim.with({ ...claim, leaseMs }))).rowCount === 1,

    createMembers: async (claim) => {
      // The collation "C" sorts by bytes. Rows arrive in the order of ids, so each country's part of the index grows at
      // its end.
      await pool.query(
        `create table ${tableOf(claim)} (country text collate "C" not null, user_id text collate "C" not null,
          primary key (country, user_id)) with (autovacuum_enabled = off)`,
      );
    },

    // Each chunk has a transaction of its own, because a long transaction would prevent vacuum on all tables of the
    // server.
    addMembers: async (claim, members) => {
      const client = await pool.connect();
      try {
        await copyInto(client, claim, members);
        client.release();
      } catch (error) {
        client.release(error instanceof Error ? error : true);
        throw error;
      }
    },

    finish: async (claim, counts) => {
      await pool.query(`analyze ${tableOf(claim)}`);
      const text = JSON.stringify(Object.fromEntries(counts));
      return (await pool.query(finishSnapshot.with({ ...claim, counts: text }))).rowCount === 1;
    },

    fail: async (claim, failure) => {
      // The table is dropped first, so that no reader of a failed snapshot finds its rows.
      await dropTable(pool, tableOf(claim));
      await pool.query(failSnapshot.with({ ...claim, ...failure }));
    },

    page: async (snapshot, { country, after, limit }) => {
      try {
        // One JSON array takes two thirds of the time that a row per user takes.
        const { rows } = await pool.query<{ users: string[] }>(
          `select array_to_json(array(
             select user_id from ${tableOf(snapshot)} where country = $1 and user_id > $2 order by user_id limit $3
           )) as users`,
          [country, after ?? '', limit],
        );
        return onlyRow(rows).users;
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === undefinedTable) return undefined;
        throw error;
      }
    },

    counts: async (segments) => {
      const { rows } = await pool.query<{ segment: string; counts: Record<string, number> | null }>(
        selectCounts.with({
          segments: segments.map(({ id }) => id),
          definitions: segments.map(({ definition }) => definition),
        }),
      );
      return new Map(rows.map(({ segment, counts }) => [segment, new Map(Object.entries(counts ?? {}))]));
    },

    sweep: async () => {
      const { rowCount } = await pool.query(deleteUnused.with({}));
      const { rows } = await pool.query<{ name: string }>(selectStrayTables.with({}));
      let tables = 0;
      for (const { name } of rows) if (await dropTable(pool, `connectors.${name}`)) tables++;
      return { snapshots: rowCount ?? 0, tables };
    },
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function tableOf({ id, epoch }: Claim): string {
  return `connectors.members_${id.replaceAll('-', '')}_${epoch}`;
}

async function copyInto(client: PoolClient, claim: Claim, members: readonly Member[]): Promise<void> {
  const copy = client.query(copyFrom(`copy ${tableOf(claim)} (country, user_id) from stdin`));
  // The backslash is the only character in ids that the COPY format requires to be escaped.
  const lines = members.map(({ country, userId }) => `${country}\t${userId.replaceAll('\\', '\\\\')}\n`);
  copy.end(lines.join(''));
  await finished(copy);
}

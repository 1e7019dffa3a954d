import type { Pool, PoolClient } from 'pg';
import { textArray } from '../../../../../shared/postgres/connection/array-literals.ts';
import { onlyRow } from '../../../../../shared/postgres/connection/rows.ts';
import { inTransaction } from '../../../../../shared/postgres/connection/transaction.ts';
import * as statements from './suppression-statements.ts';

export interface SuppressionListRecord {
  /** Name of an action type, or `allActionTypes`. */
  actionType: string;
  people: number;
  version: number;
  changedAt: Date;
}

/** Changed list, and the number of people who were added or removed. */
export interface ListChange {
  list: SuppressionListRecord;
  users: number;
}

export interface SuppressionStore {
  lists(): Promise<SuppressionListRecord[]>;
  /**
   * Adds users. A worker that claims a step after this promise is resolved does not call them
   * (docs/decisions/0085-gates-before-a-call.md).
   */
  add(list: string, users: readonly string[], note: string | null): Promise<ListChange>;
  /** Removes users. Returns undefined if the list does not exist. */
  remove(list: string, users: readonly string[]): Promise<ListChange | undefined>;
  /**
   * Returns for how many milliseconds after a change users may still be called by claims from before it: the lease of
   * the workers. Null if no worker has started yet.
   */
  lastCallWithinMs(): Promise<number | null>;
  listsOf(user: string): Promise<{ actionType: string; note: string | null; addedAt: Date }[]>;
}

export function createSuppressionStore({ pool }: { pool: Pool }): SuppressionStore {
  return {
    lists: async () => (await pool.query<SuppressionListRecord>(statements.selectLists)).rows,

    lastCallWithinMs: async () => {
      const { rows } = await pool.query<{ leaseMs: number }>(statements.selectWorkerLease);
      return rows[0]?.leaseMs ?? null;
    },

    add: (list, users, note) => inTransaction(pool, (client) => addTo(client, list, users, note)),

    remove: (list, users) =>
      inTransaction(pool, async (client) => {
        const listNo = await lockedNumber(client, list);
        if (listNo === undefined) return undefined;
        const removed = await client.query(statements.removePeople, [listNo, textArray(users)]);
        const { list: changed, users: people } = await changedBy(client, list, -(removed.rowCount ?? 0));
        return { list: changed, users: -people };
      }),

    listsOf: async (user) => {
      const { rows } = await pool.query<{ actionType: string; note: string | null; addedAt: Date }>(
        statements.selectUser,
        [user],
      );
      return rows;
    },
  };
}

/** Adds users. The change is effective when the transaction commits. */
async function addTo(
  client: PoolClient,
  list: string,
  users: readonly string[],
  note: string | null,
): Promise<ListChange> {
  const listNo = await lockedOrNewNumber(client, list);
  const added = await client.query(statements.addLines, [listNo, users.join('\n'), note]);
  return changedBy(client, list, added.rowCount ?? 0);
}

/** Locks the version in force and returns its number. The lock serializes changes of the list. */
export async function lockedNumber(client: PoolClient, list: string): Promise<number | undefined> {
  const { rows } = await client.query<{ listNo: number }>(statements.lockList, [list]);
  return rows[0]?.listNo;
}

/** Locks the version in force. Creates the list if it does not exist. */
export async function lockedOrNewNumber(client: PoolClient, list: string): Promise<number> {
  return (await lockedNumber(client, list)) ?? (await beginList(client, list));
}

/** Creates a list. The second of two concurrent calls waits, and finds the list of the first. */
async function beginList(client: PoolClient, list: string): Promise<number> {
  await client.query(statements.lockNumbers);
  const known = await lockedNumber(client, list);
  if (known !== undefined) return known;
  const listNo = await takeNumber(client, list, 'in-force');
  await client.query(statements.insertList, [list, listNo]);
  return listNo;
}

export async function takeNumber(client: PoolClient, list: string, state: 'loading' | 'in-force'): Promise<number> {
  await client.query(statements.lockNumbers);
  return onlyRow((await client.query<{ listNo: number }>(statements.takeNumber, [list, state])).rows).listNo;
}

export async function changedBy(client: PoolClient, list: string, people: number): Promise<ListChange> {
  const { rows } = await client.query<SuppressionListRecord>(statements.moveVersion, [list, people]);
  return { list: onlyRow(rows), users: people };
}

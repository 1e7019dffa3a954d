import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { FinalResult, ResultClaim, ResultStore, StoredResult } from '../result-store.port.ts';
import { claimUsers, deleteEnded, finishUsers, releaseUsers, reopenUsers, selectResults } from './result-statements.ts';

interface ResultRow {
  userId: string;
  state: StoredResult['state'];
  code: string | null;
}

/** Rows that one statement deletes. */
const sweptRows = 10_000;

/**
 * @param pool pool from `createHotPathPool`. Other pools may keep a slow plan that was made while the tables were
 * empty.
 */
export function createResultStore(pool: Pool): ResultStore {
  return {
    read: async (scope, users) => {
      const { rows } = await pool.query<ResultRow>(selectResults.with({ ...scope, users }));
      return new Map(rows.map((row) => [row.userId, resultOf(row)]));
    },

    claim: async (scope, users, terms) => {
      const id = randomUUID();
      const { rows } = await pool.query<{ userId: string; isOpen: boolean }>(
        claimUsers.with({ ...scope, users, claim: id, ...terms }),
      );
      return { ...scope, id, users: new Map(rows.map(({ userId, isOpen }) => [userId, isOpen])) };
    },

    finish: async (claim, results) => {
      const found = [...results.values()];
      await pool.query(
        finishUsers.with({
          ...placeOf(claim),
          users: [...results.keys()],
          states: found.map(({ state }) => state),
          codes: found.map(codeOf),
        }),
      );
    },

    release: async (claim, users) => {
      // If an earlier call may have been applied, a repeat that was not applied does not change that. So these users
      // become unknown again.
      if (users.some((user) => claim.users.get(user) === true))
        await pool.query(reopenUsers.with({ ...placeOf(claim), users }));
      await pool.query(releaseUsers.with({ ...placeOf(claim), users }));
    },

    sweep: async () => {
      let swept = 0;
      for (;;) {
        const { rowCount } = await pool.query(deleteEnded.with({ limit: sweptRows }));
        swept += rowCount ?? 0;
        if ((rowCount ?? 0) < sweptRows) return swept;
      }
    },
  };
}

function placeOf({ action, run, step, id }: ResultClaim) {
  return { action, run, step, claim: id };
}

function codeOf(result: FinalResult | { state: 'unknown' }): string | null {
  return result.state === 'failed' ? result.code : null;
}

function resultOf({ state, code }: ResultRow): StoredResult {
  return state === 'failed' ? { state, code: code ?? '' } : { state };
}

import type { Pool } from 'pg';
import { countOutcomes, outcomesOfUsers, type EarlierRows } from '../../domain/run/earlier-outcomes.ts';
import { stepLines, type StepTotals } from '../../domain/step/outcomes.ts';
import { compareUserIds } from '../../domain/ids/user-id.ts';
import { usersOf } from '../../domain/step/users-text.ts';
import type { EarlierPage, EarlierRun, EarlierUsers, StoredAudiences } from '../../ports/stored-audiences.ts';
import { ownOutcome } from '../ledger/ledger-codes.ts';
import * as statements from './stored-audience-statements.ts';

const batchesPerPage = 10;

export function createStoredAudiences({ pool }: { pool: Pool }): StoredAudiences {
  return {
    list: async (listId, country) => {
      const { rows } = await pool.query<{ name: string; users: number }>(statements.list.with({ listId, country }));
      return rows[0];
    },
    listPage: async (listId, country, after) => {
      let floor = storableFloor(after ?? '');
      for (;;) {
        const { rows } = await pool.query<{ users: string | null }>(
          statements.listPart.with({ listId, country, floor }),
        );
        const [row] = rows;
        if (!row) return undefined;
        if (row.users === null) return { users: [], isLast: true };
        const part = row.users.split('\n');
        const users = after === null ? part : usersAfter(part, after);
        if (users.length > 0) return { users, isLast: false };
        floor = part.at(-1) ?? floor;
      }
    },
    run: async (runId, country) => {
      const { rows } = await pool.query<EarlierRun>(statements.run.with({ runId, country }));
      return rows[0];
    },
    countEarlier: async (runId, country, { steps, outcomes, step }) => {
      const { rows } = await pool.query<CountedFeed>(statements.counts.with({ runId, country }));
      return rows.reduce((sum, { fedUsers, heldOutUsers, totals }) => {
        return sum + countOutcomes(stepLines(fedUsers, totals, steps, heldOutUsers), outcomes, step);
      }, 0);
    },
    firstBatchAfter: async (feedId, after) => {
      const floor = storableFloor(after);
      const { rows } = await pool.query<{ batchNo: number }>(statements.firstBatchAfter.with({ feedId, floor }));
      return rows[0]?.batchNo ?? 1;
    },
    earlierPage: (of, fromBatchNo) => earlierPage(pool, of, fromBatchNo),
  };
}

interface CountedFeed {
  fedUsers: number;
  heldOutUsers: number;
  totals: StepTotals[];
}

interface BatchRow {
  batchNo: number;
  parent: number | null;
  fromStep: number;
  users: string;
}

async function earlierPage(
  pool: Pool,
  { feedId, steps, outcomes, step }: EarlierUsers,
  fromBatchNo: number,
): Promise<EarlierPage | undefined> {
  const end = fromBatchNo + batchesPerPage;
  const [fed] = (await pool.query<{ batches: number }>(statements.fedBatches.with({ feedId }))).rows;
  if (!fed) return undefined;
  const nextBatchNo = Math.min(end, fed.batches + 1);
  const place = { nextBatchNo, isLast: nextBatchNo > fed.batches };
  if (fromBatchNo > fed.batches) return { users: [], ...place };

  const range = { feedId, from: fromBatchNo, below: nextBatchNo };
  const tree = outcomes === undefined ? statements.batches : statements.familiesOfBatches;
  const { rows } = await pool.query<BatchRow>(tree.with(range));
  const batches = rows.map((row) => ({ ...row, users: usersOf(row.users) }));
  const fedBatches = batches.filter(({ parent }) => parent === null);
  if (fedBatches.length < nextBatchNo - fromBatchNo) return undefined;
  const users = fedBatches.flatMap((batch) => batch.users);
  if (outcomes === undefined) return { users, ...place };

  const found = outcomesOfUsers({ batches, ...(await endings(pool, feedId, batches)) }, steps, step);
  const wanted = new Set<string | undefined>(outcomes);
  return { users: users.filter((user) => wanted.has(found.get(user))), ...place };
}

async function endings(
  pool: Pool,
  feedId: string,
  batches: EarlierRows['batches'],
): Promise<Omit<EarlierRows, 'batches'>> {
  const batchNos = batches.map(({ batchNo }) => batchNo);
  const rests = await pool.query<EarlierRows['rests'][number]>(statements.rests.with({ feedId, batchNos }));
  const failures = await pool.query<{ step: number; user: string; outcome: number }>(
    statements.failures.with({ feedId, batchNos }),
  );
  return {
    rests: rests.rows,
    failures: failures.rows.map((row) => ({ ...row, outcome: ownOutcome(row.outcome) })),
  };
}

// oxlint-disable-next-line no-control-regex -- Postgres rejects parameters with a NUL byte or a lone surrogate
const unstorable = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Returns the longest storable prefix: no stored id lies between it and `after`, but some may precede `after`. */
function storableFloor(after: string): string {
  const at = after.search(unstorable);
  return at < 0 ? after : after.slice(0, at);
}

function usersAfter(users: string[], after: string): string[] {
  const first = users.findIndex((user) => compareUserIds(user, after) > 0);
  return first < 0 ? [] : users.slice(first);
}

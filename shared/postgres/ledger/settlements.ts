import type { Pool } from 'pg';
import type {
  SettledUser,
  Settlements,
  SettlementVerdict,
  StatusSettlement,
  UnknownUser,
} from '../../ports/settlements.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { failureCode, settledAsSucceeded } from './ledger-codes.ts';
import * as statements from './settlement-statements.ts';
import { retryingDeadlocks } from '../connection/transaction.ts';

const outcomeCode = { succeeded: settledAsSucceeded, failed: failureCode.failed } as const;

interface VerdictRow {
  position: number;
  settled: boolean;
  /** Outcome of an earlier settlement; null if there was none. */
  before: number | null;
}

export function createSettlements({ pool }: { pool: Pool }): Settlements {
  return {
    settle: async ({ settlementId, runId }, users, more = {}) => {
      const { leftUnknown = 0, rejected = 0 } = more;
      const lines = onceEach(users);
      const { rows } = await retryingDeadlocks(() =>
        pool.query<VerdictRow>(
          statements.settle.with({
            ...paramsOf(lines.map(({ first }) => first)),
            settlement: settlementId,
            run: runId,
            leftUnknown,
            rejected,
          }),
        ),
      );
      const byPosition = new Map(rows.map((row) => [row.position, row]));
      const verdicts = new Map<SettledUser, SettlementVerdict>();
      for (const [index, { first, repeats }] of lines.entries()) {
        const verdict = verdictOf(first, byPosition.get(index + 1));
        verdicts.set(first, verdict);
        for (const repeat of repeats) verdicts.set(repeat, repeatedVerdict(first, verdict, repeat));
      }
      return users.map((user) => verdicts.get(user) ?? 'not-unknown');
    },
    claimByStatus: async (owner, leaseMs) => {
      const { rows } = await pool.query<StatusSettlement>(statements.claimByStatus.with({ owner, leaseMs }));
      return rows[0] ?? null;
    },
    unknownUsers: async ({ settlementId }, limit) => {
      const { rows } = await pool.query<UnknownUser>(statements.unknownUsers.with({ settlement: settlementId, limit }));
      return rows;
    },
    moveOn: async (settlement, owner, { feedId: feed, user, step }) => {
      const { rowCount } = await pool.query(statements.moveOn.with({ settlement, owner, feed, user, step }));
      return rowCount === 1;
    },
    putOff: async (settlement, owner, delayMs, cause) => {
      await pool.query(statements.putOff.with({ settlement, owner, delayMs, cause }));
    },
    endByStatus: async (settlement, owner, { state, cause }) => {
      await pool.query(statements.endByStatus.with({ settlement, owner, state, cause }));
    },
  };
}

interface Line {
  first: SettledUser;
  repeats: SettledUser[];
}

/** Groups entries by user and step. The fixed order keeps two settlements of the same users from deadlocking. */
function onceEach(users: readonly SettledUser[]): Line[] {
  const lines = new Map<string, Line>();
  for (const user of users) {
    const key = JSON.stringify([user.user, user.step, user.country]);
    const line = lines.get(key);
    if (line) line.repeats.push(user);
    else lines.set(key, { first: user, repeats: [] });
  }
  return [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

function verdictOf({ outcome }: SettledUser, row: VerdictRow | undefined): SettlementVerdict {
  if (row?.settled) return 'settled';
  const before = row?.before ?? null;
  if (before === null) return 'not-unknown';
  return before === outcomeCode[outcome] ? 'already' : 'otherwise';
}

function repeatedVerdict(first: SettledUser, verdict: SettlementVerdict, repeat: SettledUser): SettlementVerdict {
  if (verdict === 'not-unknown') return verdict;
  const wasSame = verdict !== 'otherwise';
  return (first.outcome === repeat.outcome) === wasSame ? 'already' : 'otherwise';
}

function paramsOf(users: readonly SettledUser[]) {
  return {
    users: textArray(users.map(({ user }) => user)),
    steps: plainArray(users.map(({ step }) => step)),
    countries: textArray(users.map(({ country }) => country)),
    outcomes: plainArray(users.map(({ outcome }) => outcomeCode[outcome])),
    reasons: textArray(users.map(({ reason }) => reason)),
    details: textArray(users.map(({ detail }) => detail)),
  };
}

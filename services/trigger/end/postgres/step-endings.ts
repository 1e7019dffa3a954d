import type { Pool, PoolClient } from 'pg';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { restCode } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { inTransaction, retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import type { EndedSteps, StepEndings } from '../../ports/step-endings.ts';
import * as statements from './ending-statements.ts';

/**
 * Disables hash joins. For thousands of rows, the planner would otherwise read whole weeks of rows instead of looking
 * them up by key.
 */
export const followKeys = 'set local enable_hashjoin = off';

export function createStepEndings({ pool }: { pool: Pool }): StepEndings {
  function followingKeys<Result>(run: (client: PoolClient) => Promise<Result>) {
    return retryingDeadlocks(() =>
      inTransaction(pool, async (client) => {
        await client.query(followKeys);
        return run(client);
      }),
    );
  }

  return {
    endOpen: async ({ feedId, chainLength }, outcome, { from, limit }) => {
      const params = { feed: feedId, chainLength, rest: restCode[outcome], from, limit };
      const { rows } = await followingKeys((client) => client.query<EndedSteps>(statements.endOpen.with(params)));
      return rows.at(0) ?? { ended: 0, passed: 0, next: null };
    },
    endQuarantined: async (refs) => {
      const params = {
        feeds: plainArray(refs.map(({ feedId }) => feedId)),
        batchNos: plainArray(refs.map(({ batchNo }) => batchNo)),
        steps: plainArray(refs.map(({ step }) => step)),
        rest: restCode.expired,
      };
      const { rows } = await followingKeys((client) =>
        client.query<{ ended: number }>(statements.endQuarantined.with(params)),
      );
      return rows.at(0)?.ended ?? 0;
    },
  };
}

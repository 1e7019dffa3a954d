import type { Pool } from 'pg';
import { plainArray } from '../../../shared/postgres/array-literals.ts';
import { restCode } from '../../../shared/postgres/ledger-codes.ts';
import { retryingDeadlocks } from '../../../shared/postgres/transaction.ts';
import type { EndedSteps, StepEndings } from '../ports/step-endings.ts';
import * as statements from './ending-statements.ts';

export function createStepEndings({ pool }: { pool: Pool }): StepEndings {
  return {
    endOpen: async ({ feedId, chainLength }, outcome, { from, limit }) => {
      const params = { feed: feedId, chainLength, rest: restCode[outcome], from, limit };
      const { rows } = await retryingDeadlocks(() => pool.query<EndedSteps>(statements.endOpen.with(params)));
      return rows.at(0) ?? { ended: 0, next: null };
    },
    endQuarantined: async (refs) => {
      const params = {
        feeds: plainArray(refs.map(({ feedId }) => feedId)),
        batchNos: plainArray(refs.map(({ batchNo }) => batchNo)),
        steps: plainArray(refs.map(({ step }) => step)),
        rest: restCode.expired,
      };
      const { rows } = await retryingDeadlocks(() =>
        pool.query<{ ended: number }>(statements.endQuarantined.with(params)),
      );
      return rows.at(0)?.ended ?? 0;
    },
  };
}

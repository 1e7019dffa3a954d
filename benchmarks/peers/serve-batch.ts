import { usersOf, withoutUsers } from '../../shared/domain/step/users-text.ts';
import { createStepCaller, quotedUsers, type BatchTerms } from './call-step.ts';
import type { BatchJob } from './job-queue.ts';

export interface BatchServer {
  /**
   * Runs both steps of one batch; the second step only has the users that succeeded in the first. Resolves with the
   * number of users that succeeded in both. Rejects if an answer does not report a result for each user.
   */
  serve(job: BatchJob): Promise<number>;
  close(): Promise<void>;
}

const steps = [1, 2] as const;

export function createBatchServer(terms: BatchTerms): BatchServer {
  const caller = createStepCaller(terms);
  return {
    serve: async ({ batch, users: ids, count }) => {
      let users = quotedUsers(ids);
      let left = count;
      for (const step of steps) {
        const failed = await caller.call({ batch, step, users, count: left });
        if (failed.length === 0) continue;
        users = withoutUsers(users, failed);
        left = users === '' ? 0 : usersOf(users).length;
        if (left === 0) break;
      }
      return left;
    },
    close: () => caller.close(),
  };
}

import { createStepCaller, quotedUsers, type BatchTerms } from '../call-step.ts';
import { createGate } from '../gate.ts';
import type { StepJob, StepOutcome } from './step-job.ts';

export interface StepServer {
  /** Calls the endpoint for one step of a batch. A call waits while as many as `inFlight` calls are under way. */
  readonly serve: (job: StepJob) => Promise<StepOutcome>;
  close(): Promise<void>;
}

export function createStepServer(terms: BatchTerms): StepServer {
  const caller = createStepCaller(terms);
  const gate = createGate(terms.inFlight);
  return {
    serve: async (job) => {
      const { batch, step, count } = job;
      const failed = await gate(() => caller.call({ batch, step, users: quotedUsers(job.users), count }));
      return { job, failed };
    },
    close: () => caller.close(),
  };
}

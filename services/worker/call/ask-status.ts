import { publicId } from '../../../shared/domain/ids/ids.ts';
import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { StepResult } from '../../../shared/ports/step-ledger.ts';
import { readStatus } from '../endpoint/read-status.ts';
import type { BatchEndpoint } from '../endpoint/batch-endpoint.port.ts';
import { resultOfStatus, type ResultTerms } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { WorkerMeter } from '../report/worker-meter.ts';
import type { StepTraces } from '../report/step-traces.ts';

export interface AskStatusDeps {
  endpoint: BatchEndpoint;
  meter: WorkerMeter;
  traces?: StepTraces | undefined;
}

/**
 * Requests the status of the users from a class C endpoint. This is necessary before an open key (a key under which an
 * earlier call may have been applied) is used again. Returns the result to record. Returns null if the key is closed
 * now, so that the step may be called.
 */
export async function askStatus(
  work: Work,
  termsNow: () => ResultTerms,
  { endpoint, meter, traces }: AskStatusDeps,
): Promise<StepResult | null> {
  const { actionType, context, standing } = work;
  const mode = modeOfStep(context.stepModes, work.claim.step);
  const traceparent = traces?.headerOf(work);
  const answer = await endpoint.askStatus({ actionType, mode, traceparent, body: queryOf(work) });
  const read = readStatus(usersOf(work.users), answer);
  meter.statusRequested(work, read);
  if (read.kind === 'answered' && [...read.statuses.values()].some(({ status }) => status === 'succeeded')) {
    standing.isAccepted = true;
  }
  return resultOfStatus(work, read, termsNow());
}

function queryOf({ claim, context, users }: Work): Buffer {
  const head = JSON.stringify({ run: publicId('run', context.runId), step: claim.step }).slice(0, -1);
  return Buffer.from(`${head},"users":[${users}]}`);
}

import { publicId } from '../../../shared/domain/ids/ids.ts';
import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { StepResult } from '../../../shared/ports/step-ledger.ts';
import { readStatus } from '../call/read-status.ts';
import type { BatchEndpoint } from '../call/batch-endpoint.port.ts';
import { statusResult } from './status-result.ts';
import { retryDelayMs, waitingResult, type ResultTerms } from './waiting-result.ts';
import type { Work } from '../work.ts';
import type { WorkerMeter } from '../report/worker-meter.ts';
import type { StepTraces } from '../trace/step-traces.ts';

export interface AskStatusDeps {
  endpoint: BatchEndpoint;
  meter: WorkerMeter;
  /** Undefined where tracing is off. */
  traces?: StepTraces | undefined;
}

/** `call`: the step may be called, its key is closed. `record`: this is to be recorded instead. */
export type AskedStatus = { kind: 'call'; work: Work } | { kind: 'record'; result: StepResult };

/** Class C, before a key that is open is used again: the endpoint is asked what became of the users. */
export async function askStatus(
  work: Work,
  termsNow: () => ResultTerms,
  { endpoint, meter, traces }: AskStatusDeps,
): Promise<AskedStatus> {
  const { actionType, context, standing } = work;
  const mode = modeOfStep(context.stepModes, work.claim.step);
  const traceparent = traces?.headerOf(work);
  const { country } = context;
  const answer = await endpoint.askStatus({ actionType, country, mode, traceparent, body: queryOf(work) });
  const read = readStatus(usersOf(work.users), answer);
  meter.asked(work, read);
  const terms = termsNow();
  if (read.kind === 'unanswered') {
    const result = waitingResult(work, retryDelayMs(work, work.claim.epoch, terms), true, read.cause);
    return { kind: 'record', result };
  }
  if ([...read.statuses.values()].some(({ status }) => status === 'succeeded')) standing.isAccepted = true;
  const consequence = statusResult(work, read.statuses, terms);
  return consequence.kind === 'call'
    ? { kind: 'call', work: { ...work, claim: { ...work.claim, open: false } } }
    : consequence;
}

function queryOf({ claim, context, users }: Work): Buffer {
  const head = JSON.stringify({ run: publicId('run', context.runId), step: claim.step }).slice(0, -1);
  return Buffer.from(`${head},"users":[${users}]}`);
}

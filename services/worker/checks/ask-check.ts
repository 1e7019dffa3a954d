import { publicId } from '../../../shared/domain/ids/ids.ts';
import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { BatchEndpoint } from '../endpoint/batch-endpoint.port.ts';
import { readAnswer, type Reading } from '../endpoint/read-answer.ts';
import type { WorkerMeter } from '../report/worker-meter.ts';
import type { StepTraces } from '../report/step-traces.ts';
import type { Work } from '../step/work.ts';

export interface AskCheckDeps {
  endpoint: BatchEndpoint;
  meter: WorkerMeter;
  traces?: StepTraces | undefined;
  clock: Clock;
}

/**
 * Requests the check of a whole batch (docs/optional-contracts.md). The body is that of the call plus the name of the
 * check. The request has no effect. Each request has a new key, so the endpoint cannot return an earlier answer.
 */
export async function askCheck(
  work: Work,
  type: string,
  config: ActionTypeConfig,
  { endpoint, meter, traces, clock }: AskCheckDeps,
): Promise<Reading> {
  const { feedId, batchNo, step, epoch } = work.claim;
  const { country, stepModes } = work.context;
  const startedMs = clock.monotonicMs();
  const traced = traces?.beginCall(work);
  const answer = await endpoint.call({
    actionType: type,
    country,
    // A check has no effect. If its endpoint does not support test mode, the request is therefore sent in live mode.
    mode: config.understandsTest ? modeOfStep(stepModes, step) : 'live',
    idempotencyKey: `${requestKey(feedId, batchNo, step)}-check-${epoch}`,
    attempt: 1,
    traceparent: traced?.traceparent,
    notAfterMs: Number.POSITIVE_INFINITY,
    body: questionOf(work, type),
  });
  const reading = readAnswer(config, work, answer);
  meter.called({ ...work, actionType: type }, reading, clock.monotonicMs() - startedMs);
  if (traced) traces?.endCall(work, traced, { actionType: type, attempt: 1, reading, startedMs });
  return reading;
}

function questionOf({ claim, context, users }: Work, type: string): Buffer {
  const { campaignId, runId, country, chain } = context;
  const action = chain[claim.step - 1];
  const head = JSON.stringify({
    campaign: publicId('campaign', campaignId),
    run: publicId('run', runId),
    step: claim.step,
    country,
    batch: claim.batchNo,
    check: { type },
    action: { type: action?.action, params: action?.params },
  });
  return Buffer.from(`${head.slice(0, -1)},"users":[${users}]}`);
}

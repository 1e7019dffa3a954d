import type {
  QuarantinedStepDetail,
  QuarantinedStepShape,
} from '../../../shared/contracts/messages/quarantined-steps.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { QuarantineDetail, QuarantinedStep } from './postgres/quarantined-steps.ts';

/** @param whyNot why it may not be opened again */
export function quarantinedStepView(row: QuarantinedStep, whyNot: string | null): QuarantinedStepShape {
  const { quarantineId, runId, runState, country, batchNo, step, actionType, state, users, lapses, worker } = row;
  return {
    id: publicId('quarantinedStep', quarantineId),
    runId: publicId('run', runId),
    runState,
    country,
    batchNo,
    step,
    action: actionType,
    state,
    users,
    lapses,
    worker,
    since: row.since.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    replayable: whyNot === null,
    whyNot,
  };
}

export function quarantinedStepDetailView(row: QuarantineDetail, whyNot: string | null): QuarantinedStepDetail {
  return {
    ...quarantinedStepView(row, whyNot),
    idempotencyKey: requestKey(row.feedId, row.batchNo, row.step),
    calls: row.calls.map(({ at, worker, reading, cause }) => ({
      at: at.toISOString(),
      worker,
      result: reading,
      cause,
    })),
    sample: [...row.sample],
  };
}

import type { z } from 'zod';
import type {
  QuarantinedStepDetail,
  quarantinedStepGroup,
  QuarantinedStepShape,
} from '../../../shared/contracts/quarantine/steps.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { QuarantineDetail, QuarantinedStep, StepGroupRow } from './postgres/step-store.ts';

/** The only reason for which a step is quarantined. */
const reason = 'its calls crashed their workers';

/**
 * Returns the view of a step.
 * @param refusalReason reason why the step cannot be replayed; null if it can
 */
export function stepView(row: QuarantinedStep, refusalReason: string | null): QuarantinedStepShape {
  const { quarantineId, runId, runState, country, batchNo, step, actionType, state, users, lapses, worker } = row;
  return {
    kind: 'step',
    id: publicId('quarantinedStep', quarantineId),
    reason,
    state,
    since: row.since.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    runId: publicId('run', runId),
    runState,
    country,
    batchNo,
    step,
    action: actionType,
    users,
    lapses,
    worker,
    replayable: refusalReason === null,
    whyNot: refusalReason,
  };
}

export function stepDetailView(row: QuarantineDetail, whyNot: string | null): QuarantinedStepDetail {
  return {
    ...stepView(row, whyNot),
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

export function stepGroupView(group: StepGroupRow): z.infer<typeof quarantinedStepGroup> {
  const { items, firstAt, lastAt, actionType, country, users, runs } = group;
  const times = { firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
  return { kind: 'step', reason, items, ...times, action: actionType, country, users, runs };
}

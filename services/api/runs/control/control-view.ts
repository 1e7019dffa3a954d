import type { ControlledRunShape } from '../../../../shared/contracts/runs/run-control.ts';
import type { RunEventShape } from '../../../../shared/contracts/runs/run-history.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { batchesInFlight, usersInFlight, type UnderWay } from '../../../../shared/domain/run/under-way.ts';
import type { RunEvent } from './run-control.port.ts';
import type { RunHeader } from '../run-reports.port.ts';
import { runSummaryView } from '../run-view.ts';

export function controlledRunView(run: RunHeader, underWay: UnderWay, timeToStopMs: number): ControlledRunShape {
  return {
    run: runSummaryView(run),
    inFlight: {
      batches: batchesInFlight(underWay),
      users: usersInFlight(underWay),
      steps: stepsInFlight(underWay),
    },
    waiting: underWay.waiting,
    ready: underWay.ready,
    timeToStopMs,
  };
}

export function runEventView({ eventId, at, kind, detail }: RunEvent): RunEventShape {
  return { id: publicId('runEvent', eventId), at: at.toISOString(), kind, detail: { ...detail } };
}

function stepsInFlight({ inFlight }: UnderWay): ControlledRunShape['inFlight']['steps'] {
  return [...Map.groupBy(inFlight, ({ step }) => step)].map(([step, places]) => ({
    step,
    batches: places.reduce((sum, { batches }) => sum + batches, 0),
    users: places.reduce((sum, { users }) => sum + users, 0),
  }));
}

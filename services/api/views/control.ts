import type { CancelPreviewShape, ControlledRunShape, RunEventShape } from '../../../shared/contracts/runs.ts';
import { publicId } from '../../../shared/domain/ids.ts';
import { sumLines, stepLines } from '../../../shared/domain/outcomes.ts';
import { isTerminal } from '../../../shared/domain/run-states.ts';
import { batchesInFlight, usersInFlight, type UnderWay } from '../../../shared/domain/under-way.ts';
import type { RunEvent } from '../ports/run-control.ts';
import type { RunHeader, RunSnapshot } from '../ports/run-reports.ts';
import { estimatedUsers, runSummaryView } from './run.ts';

export function controlledRunView(run: RunHeader, underWay: UnderWay, timeToStopMs: number): ControlledRunShape {
  return {
    run: runSummaryView(run),
    inFlight: {
      batches: batchesInFlight(underWay),
      users: usersInFlight(underWay),
      steps: underWay.inFlight.map((step) => ({ ...step })),
    },
    waiting: underWay.waiting,
    ready: underWay.ready,
    timeToStopMs,
  };
}

export function runEventView({ eventId, at, kind, detail }: RunEvent): RunEventShape {
  return { id: publicId('runEvent', eventId), at: at.toISOString(), kind, detail: { ...detail } };
}

/** What a cancellation would do now. What is under way moves on while this is read: the figures are of about this moment. */
export function cancelPreviewView(snapshot: RunSnapshot, underWay: UnderWay, timeToStopMs: number): CancelPreviewShape {
  const { runId, state, chain, countries } = snapshot;
  const counted = countries.reduce((sum, feed) => sum + feed.fedUsers, 0);
  const estimated = estimatedUsers(snapshot);
  const isFed = countries.length > 0 && countries.every(({ complete }) => complete);
  const isOver = isTerminal(state);
  const pending = pendingByStep(snapshot);
  const inFlightIn = (step: number) => underWay.inFlight.find((each) => each.step === step)?.users ?? 0;
  const finishing = Math.min(inFlightIn(chain.length), pending.at(-1) ?? 0);
  const notStarted = Math.max(0, (pending[0] ?? 0) - inFlightIn(1));
  const all = pending.reduce((sum, users) => sum + users, 0);
  return {
    runId: publicId('run', runId),
    state,
    notFedUsers: isFed || isOver ? 0 : estimated === null ? null : Math.max(0, estimated - counted),
    notStartedUsers: notStarted,
    halfWayUsers: Math.max(0, all - notStarted - finishing),
    finishingUsers: finishing,
    endedUsers: counted - all,
    inFlight: { batches: batchesInFlight(underWay), users: usersInFlight(underWay) },
    waiting: underWay.waiting,
    timeToStopMs,
  };
}

/** By step: users that have come so far and have no outcome in it. */
function pendingByStep({ chain, countries }: RunSnapshot): number[] {
  const nobody = stepLines(0, [], chain.length);
  const lines = countries.map(({ fedUsers, totals, heldOutUsers }) =>
    stepLines(fedUsers, totals, chain.length, heldOutUsers),
  );
  const sums = nobody.map((line, index) => sumLines([line, ...lines.flatMap((own) => own[index] ?? [])]));
  return sums.map(({ pending }, index) => Math.max(0, pending - (sums[index - 1]?.pending ?? 0)));
}

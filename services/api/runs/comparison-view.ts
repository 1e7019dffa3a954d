import type { ComparedRunShape, RunComparison } from '../../../shared/contracts/runs/comparisons.ts';
import type { StepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { RetrySums } from './retries.port.ts';
import type { RunHeader, RunSnapshot } from './run-reports.port.ts';
import { runFiguresView } from './run-view.ts';

export interface ComparedRun {
  snapshot: RunSnapshot;
  retries: readonly RetrySums[];
}

export function runComparisonView(
  run: ComparedRun,
  before: ComparedRun | undefined,
  others: readonly RunHeader[],
): RunComparison {
  return {
    run: comparedRunView(run),
    before: before ? comparedRunView(before) : null,
    others: others.map(comparableView),
  };
}

function comparedRunView({ snapshot, retries }: ComparedRun): ComparedRunShape {
  const { steps, audience, variants } = runFiguresView(snapshot);
  const sumOf = (lines: readonly StepLineShape[], of: (line: StepLineShape) => number) =>
    lines.reduce((total, line) => total + of(line), 0);
  const sum = (of: (line: StepLineShape) => number) => sumOf(steps, of);
  const { startedAt, endedAt, revision, campaignId, campaignName, chain } = snapshot;
  const last = steps.at(-1);
  return {
    ...comparableView(snapshot),
    campaignId: publicId('campaign', campaignId),
    campaignName,
    chain: chain.map(({ action }) => action),
    revision,
    audience: audience.counted,
    through: last?.succeeded ?? 0,
    failed: sum((line) => line.failed),
    unknown: sum((line) => line.unknown),
    suppressed: sum((line) => line.suppressed),
    expired: sum((line) => line.expired),
    // A user cancelled in a step is cancelled in all later steps too, so the last step counts them all.
    cancelled: last?.cancelled ?? 0,
    recovered: retries.reduce((total, { recovered }) => total + recovered, 0),
    variants: variants.map(({ name, users, steps: own }) => ({
      name,
      audience: users,
      through: own.at(-1)?.succeeded ?? 0,
      failed: sumOf(own, (line) => line.failed),
      unknown: sumOf(own, (line) => line.unknown),
    })),
    tookMs: startedAt && endedAt ? Math.max(0, endedAt.getTime() - startedAt.getTime()) : null,
  };
}

function comparableView({ runId, scheduledFor, state }: RunHeader) {
  return { runId: publicId('run', runId), scheduledFor: scheduledFor.toISOString(), state };
}

import type { ComparedRunShape, RunComparison } from '../../../shared/contracts/runs/comparisons.ts';
import type { RunVariant, StepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
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
    // The last step counts all cancelled users, because a user who was cancelled in a step is cancelled in all later
    // steps.
    cancelled: last?.cancelled ?? 0,
    recovered: retries.reduce((total, { recovered }) => total + recovered, 0),
    ...(variants.length > 0 && { variants: variants.map(comparedVariant) }),
    tookMs: startedAt && endedAt ? Math.max(0, endedAt.getTime() - startedAt.getTime()) : null,
  };
}

function comparedVariant({ name, users, steps }: RunVariant) {
  return {
    name,
    audience: users,
    through: steps.at(-1)?.succeeded ?? 0,
    failed: sumOf(steps, (line) => line.failed),
    unknown: sumOf(steps, (line) => line.unknown),
  };
}

function sumOf(lines: readonly StepLineShape[], of: (line: StepLineShape) => number): number {
  return lines.reduce((total, line) => total + of(line), 0);
}

function comparableView({ runId, scheduledFor, state }: RunHeader) {
  return { runId: publicId('run', runId), scheduledFor: scheduledFor.toISOString(), state };
}

import type { RateDifference, RunVariant, StepLine } from '#client/types.gen.ts';
import { report } from './ended-report.ts';

/** Lines of the ended run, divided between two variants. The lines of both add up to those of the run. */
const linesOfA: readonly Partial<StepLine>[] = [
  { audience: 15_012, succeeded: 14_735, failed: 277 },
  {
    audience: 15_012,
    succeeded: 14_600,
    failed: 135,
    skipped: 277,
    receipts: { delivered: 14_080, undelivered: 520, unexpected: 0, awaiting: 0 },
  },
];

const linesOfB: readonly Partial<StepLine>[] = [
  { audience: 14_988, succeeded: 14_712, failed: 276 },
  {
    audience: 14_988,
    succeeded: 14_576,
    failed: 136,
    skipped: 276,
    receipts: { delivered: 14_496, undelivered: 80, unexpected: 0, awaiting: 0 },
  },
];

const linesOf = (own: readonly Partial<StepLine>[]) => report.steps.map((line, index) => ({ ...line, ...own[index] }));

export const variants: RunVariant[] = [
  { name: 'A', weight: 5000, users: 15_012, heldOut: 0, steps: linesOf(linesOfA) },
  { name: 'B', weight: 5000, users: 14_988, heldOut: 0, steps: linesOf(linesOfB) },
];

const compared = { of: 'B', against: 'A', action: 'send-message', step: 2 } as const;

export const differences: RateDifference[] = [
  {
    ...compared,
    rate: 'succeeded',
    difference: -0.0000442,
    low: -0.00373,
    high: 0.00364,
    users: 14_988,
    neededUsers: 208_000_000,
    verdict: 'no-difference',
  },
  {
    ...compared,
    rate: 'delivered',
    difference: 0.03013,
    low: 0.0268,
    high: 0.0335,
    users: 14_576,
    neededUsers: 400,
    verdict: 'higher',
  },
];

export const reportOfVariants = { ...report, variants, differences };

import { describe, expect, it } from 'vitest';
import { compareNeighbours, type BadAnswer, type Scenario } from './neighbouring-campaigns.ts';

const quick: BadAnswer[] = ['resets', 'half a body', '500', '503', '429', '429 with Retry-After'];
const first = ['bad', 'healthy', 'turned'] as const;

const cases: Scenario[] = [
  ...[...quick, 'hangs' as const, 'slow answers' as const].flatMap((answer) =>
    [1, 2].flatMap((workers) => first.map((which): Scenario => ({ answer, slots: 6, workers, first: which }))),
  ),
  ...(['500', '429 with Retry-After', 'hangs', 'slow answers'] as const).flatMap((answer) => [
    ...first.map((which): Scenario => ({ answer, slots: 40, workers: 1, first: which })),
    { answer, slots: 40, workers: 2, first: 'bad' as const },
    { answer, slots: 200, workers: 1, first: 'turned' as const },
  ]),
  ...(['500', 'hangs', '429'] as const).flatMap((answer) =>
    first.map((which): Scenario => ({ answer, slots: 6, workers: 2, first: which, bad: 3 })),
  ),
  ...(['500', 'hangs'] as const).map((answer): Scenario => ({
    answer,
    slots: 40,
    workers: 1,
    first: 'bad',
    callsPerSecond: 100,
  })),
  // The lead is long enough for the engine to learn that the calls are slow.
  ...[6, 40].map((slots): Scenario => ({ answer: 'slow answers', slots, workers: 1, first: 'bad', leadMs: 9000 })),
];

const nameOf = ({ answer, slots, workers, first: which, bad = 1, callsPerSecond, leadMs }: Scenario) =>
  `${answer}; ${slots} slots, ${workers} workers, ${bad} bad, first: ${which}` +
  (callsPerSecond === undefined ? '' : `, ${callsPerSecond} calls/s`) +
  (leadMs === undefined ? '' : `, ${leadMs} ms before`);

/**
 * The time-out of a hanging call, the backoff of the feed and its steps, and the growth of calls, which double with
 * each answer.
 */
const mendedWithinMs = 20_000;

describe('a campaign that the endpoint fails because of its parameters', () => {
  it.each(cases.map((scenario) => [nameOf(scenario), scenario] as const))(
    'does not slow down a healthy one, and recovers soon after the repair: %s',
    async (_name, scenario) => {
      const outcome = await compareNeighbours(scenario);
      expect(outcome.withBadMs).toBeLessThanOrEqual(1.2 * outcome.withHealthyMs);
      expect(outcome.mendedMs).toBeLessThanOrEqual(mendedWithinMs);
    },
  );
});

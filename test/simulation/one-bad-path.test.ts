import { describe, expect, it } from 'vitest';
import { compareNeighbours, type BadAnswer, type Scenario } from './neighbouring-paths.ts';

const firsts = ['bad', 'healthy', 'turned'] as const;
const one = { concurrency: 6, dispatchers: 1, by: 'path' } as const;
const several = { ...one, timeoutMs: 10_000 } as const;

function each(answers: readonly BadAnswer[], terms: Omit<Scenario, 'answer' | 'first'>, which = firsts.slice()) {
  return answers.flatMap((answer) => which.map((first): Scenario => ({ ...terms, answer, first })));
}

const cases: Scenario[] = [
  ...each(['hangs', 'slow answers', '500', '429 with Retry-After'], one),
  ...each(['resets', 'garbage', '503', '429'], one, ['bad']),
  ...each(['hangs', 'slow answers', '500'], { ...one, dispatchers: 2 }, ['bad', 'turned']),
  ...each(['hangs', '500'], { ...one, concurrency: 40 }, ['bad', 'turned']),
  ...each(['500', '429'], { ...one, concurrency: 1 }, ['bad', 'healthy']),
  ...each(['hangs', '500', '429 with Retry-After'], { ...one, by: 'key' }, ['bad']),
  ...each(['hangs', '500'], { ...one, by: 'host' }, ['bad']),
  ...each(['hangs'], { ...several, badPaths: 2 }, ['bad', 'turned']),
  ...each(['hangs'], { ...several, badPaths: 8 }, ['healthy']),
  ...each(['hangs'], { ...several, concurrency: 40, badPaths: 2 }, ['bad']),
  ...each(['hangs'], { ...several, concurrency: 40, badPaths: 8 }, ['bad', 'turned']),
];

const nameOf = ({ answer, concurrency, dispatchers, first, by, badPaths = 1 }: Scenario) =>
  `${answer} by ${by}; ${badPaths} bad, ${concurrency} slots, ${dispatchers} dispatchers, first: ${first}`;

/** Calls that hang are recognized after a second. */
const recognizedMs = 1000;
/** A disabled route or host is probed every 30 s at the latest; a released job comes back in the same time. */
const mendedWithinMs = 40_000;

/** With one slot, a hanging call occupies the only slot, so all jobs of the client wait. */
describe('a path, host or ordering key that the receiver of a client fails', () => {
  it.each(cases.map((scenario) => [nameOf(scenario), scenario] as const))(
    'does not slow down the others, and recovers soon after the repair: %s',
    async (_name, scenario) => {
      const { withHealthyMs, withBadMs, mendedMs } = await compareNeighbours(scenario);
      expect(withBadMs).toBeLessThanOrEqual(1.2 * withHealthyMs + recognizedMs);
      expect(mendedMs).toBeLessThanOrEqual(mendedWithinMs);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { troubled } from './callback-scenarios.ts';
import { runCallbacks, wellAnswer, type CallbackScenario, type ProcessKind } from './callback-world.ts';
import type { Fate, PortCall } from './process-faults.ts';

/** One fault, at one call of one port, and nothing else. */
function once(kind: ProcessKind, method: string, fate: Fate): { scenario: CallbackScenario; isDone: () => boolean } {
  let isDone = false;
  const scenario: CallbackScenario = {
    ...troubled(7),
    fateOf: (process, call: PortCall) => {
      if (isDone || process.kind !== kind || call.method !== method) return 'pass';
      isDone = true;
      return fate;
    },
    messageFate: () => 'keep',
    answerOf: () => wellAnswer,
  };
  return { scenario, isDone: () => isDone };
}

describe('jobs under faults', () => {
  it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    'are called at least once, recorded once and never called early: walk %i',
    async (seed) => {
      expect(await runCallbacks(troubled(seed))).toEqual([]);
    },
  );

  it.each([
    ['after the query for due jobs', 'scheduler', 'scan', 'die-after'],
    ['before the offer is written', 'scheduler', 'publish', 'die-before'],
    ['after the offer', 'scheduler', 'publish', 'die-after'],
    ['when the offer’s acknowledgement is lost', 'scheduler', 'publish', 'throw-after'],
    ['before the claim is written', 'dispatcher', 'flush', 'die-before'],
    ['between claim and call', 'dispatcher', 'flush', 'die-after'],
    ['when the claim’s answer is lost', 'dispatcher', 'flush', 'throw-after'],
    ['between claim and end', 'dispatcher', 'call', 'die-before'],
    ['between call and end', 'dispatcher', 'call', 'die-after'],
    ['frozen between claim and call', 'dispatcher', 'call', 'freeze-before'],
    ['frozen between call and end', 'dispatcher', 'call', 'freeze-after'],
  ] as const)(
    'are called at least once, recorded once and never called early after a crash %s',
    async (_when, kind, method, fate) => {
      const { scenario, isDone } = once(kind, method, fate);
      expect(await runCallbacks(scenario)).toEqual([]);
      expect(isDone()).toBe(true);
    },
  );

  it('are called at least once, recorded once and never called early while Kafka loses every second message', async () => {
    const scenario = troubled(3);
    const lossy = () => (scenario.chance.happens(0.5) ? 'drop' : 'keep');
    expect(await runCallbacks({ ...scenario, fateOf: () => 'pass', messageFate: lossy })).toEqual([]);
  });
});

export interface StepCalls {
  /** Number of received calls, repeats included. */
  called: number;
  /** Time of the first call, in milliseconds of the machine's clock. */
  firstCallAt: number;
  lastCallAt: number;
  /** When each answer was sent, in order, in milliseconds of the machine's clock. */
  answeredAt: number[];
}

/**
 * Calls that the endpoints received, by campaign and step. Benchmarks take their times from these records, which do not
 * depend on the engine's internals.
 */
export interface CallLog {
  called(campaignId: string, step: number): StepCalls;
  answered(calls: StepCalls): void;
  /** Returns the number of answers sent so far, over all campaigns and steps. */
  answeredInAll(): number;
  /** Returns the most calls of one campaign that were under way at once since the last time, over all its steps. */
  takeMostAtOnce(): number;
  stepsOf(campaignId: string): ReadonlyMap<number, StepCalls>;
}

export function createCallLog(): CallLog {
  const campaigns = new Map<string, Map<number, StepCalls>>();
  let answeredInAll = 0;
  let mostAtOnce = 0;

  return {
    called: (campaignId, step) => {
      let steps = campaigns.get(campaignId);
      if (!steps) campaigns.set(campaignId, (steps = new Map<number, StepCalls>()));
      let calls = steps.get(step);
      if (!calls)
        steps.set(step, (calls = { called: 0, firstCallAt: machineClockMs(), lastCallAt: 0, answeredAt: [] }));
      calls.called++;
      calls.lastCallAt = machineClockMs();
      mostAtOnce = Math.max(mostAtOnce, underWay(steps));
      return calls;
    },
    answered: (calls) => {
      answeredInAll++;
      calls.answeredAt.push(machineClockMs());
    },
    answeredInAll: () => answeredInAll,
    takeMostAtOnce: () => {
      const most = mostAtOnce;
      mostAtOnce = 0;
      return most;
    },
    stepsOf: (campaignId) => campaigns.get(campaignId) ?? new Map<number, StepCalls>(),
  };
}

/** Returns the number of calls that are not answered yet. */
function underWay(steps: ReadonlyMap<number, StepCalls>): number {
  let calls = 0;
  for (const { called, answeredAt } of steps.values()) calls += called - answeredAt.length;
  return calls;
}

/**
 * Returns the time of the machine's clock in milliseconds, with a finer resolution. The clock is the same in all
 * processes.
 */
export function machineClockMs(): number {
  return performance.timeOrigin + performance.now();
}

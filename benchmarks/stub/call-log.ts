export interface StepCalls {
  /** How many calls came in, repeats included. */
  called: number;
  /** Milliseconds of the machine's clock. */
  firstCallAt: number;
  lastCallAt: number;
  /** When each answer was sent, in order, in milliseconds of the machine's clock. */
  answeredAt: number[];
}

/**
 * What the endpoints saw, by campaign and step: the witness that a benchmark takes its times from, whatever the engine
 * looks like inside.
 */
export interface CallLog {
  called(campaignId: string, step: number): StepCalls;
  answered(calls: StepCalls): void;
  /** Answers sent by now, over all campaigns and steps. */
  answeredInAll(): number;
  stepsOf(campaignId: string): ReadonlyMap<number, StepCalls>;
}

export function createCallLog(): CallLog {
  const campaigns = new Map<string, Map<number, StepCalls>>();
  let answeredInAll = 0;

  return {
    called: (campaignId, step) => {
      let steps = campaigns.get(campaignId);
      if (!steps) campaigns.set(campaignId, (steps = new Map<number, StepCalls>()));
      let calls = steps.get(step);
      if (!calls) steps.set(step, (calls = { called: 0, firstCallAt: machineMs(), lastCallAt: 0, answeredAt: [] }));
      calls.called++;
      calls.lastCallAt = machineMs();
      return calls;
    },
    answered: (calls) => {
      answeredInAll++;
      calls.answeredAt.push(machineMs());
    },
    answeredInAll: () => answeredInAll,
    stepsOf: (campaignId) => campaigns.get(campaignId) ?? new Map<number, StepCalls>(),
  };
}

/** The machine's clock, finer than a millisecond, the same in every process. */
export function machineMs(): number {
  return performance.timeOrigin + performance.now();
}

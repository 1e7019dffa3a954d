import type { Trial } from './trial.ts';
import { until } from './until.ts';

export interface Comparison {
  /** Starts the run whose time is measured. */
  neighbour: () => Promise<string>;
  /** Starts the run that the fault hits. */
  other: () => Promise<string>;
  /** The neighbour's last step. */
  step: number;
  breakIt: (other: string) => Promise<void>;
  /** Whether the fault is felt by now. */
  isBroken: (other: string) => Promise<boolean>;
  healIt: () => Promise<void>;
  /** Whether the other stands still, as hard as at first, until it is healed: several neighbours are compared then. */
  isLasting?: boolean;
}

/** Foreign load only ever adds time: the quickest of so many neighbours counts. */
const mostRounds = 3;

export interface Compared {
  /** The run beside the fault, and the one that the fault hit, which may still run. */
  neighbour: string;
  other: string;
  /**
   * From the neighbour's start to the effects of 99 % of its users: beside the other without the fault, and with it.
   */
  seconds: { without: number; beside: number };
}

/** I8: the same two runs twice, first with no fault at all and then with one of them broken. */
export async function compareNeighbour(trial: Trial, comparison: Comparison): Promise<Compared> {
  const { neighbour, other, step } = comparison;
  const healthy = await other();
  await trial.awaitCalls(healthy, 1, 10);
  const alone = await neighbour();
  await trial.awaitEnd(alone);
  await trial.awaitEnd(healthy);
  const without = await trial.servedWithin(alone, step, 0.99);

  const broken = await other();
  await comparison.breakIt(broken);
  try {
    await until('the fault is felt', () => comparison.isBroken(broken));
    const rounds = comparison.isLasting ? mostRounds : 1;
    let quickest = { neighbour: '', beside: Infinity };
    for (let round = 0; round < rounds && quickest.beside > undisturbed(without); round++) {
      const runId = await neighbour();
      await trial.awaitEnd(runId);
      const beside = await trial.servedWithin(runId, step, 0.99);
      if (beside < quickest.beside) quickest = { neighbour: runId, beside };
    }
    return { neighbour: quickest.neighbour, other: broken, seconds: { without, beside: quickest.beside } };
  } finally {
    await comparison.healIt();
  }
}

/** Within 20 %; half a second more for what is measured on a busy machine. In seconds. */
export function undisturbed(withoutSeconds: number): number {
  return 1.2 * withoutSeconds + 0.5;
}

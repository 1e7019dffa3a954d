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
  /** Resolves with true once the fault has an effect. */
  isBroken: (other: string) => Promise<boolean>;
  healIt: () => Promise<void>;
}

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
    const beside = await neighbour();
    await trial.awaitEnd(beside);
    const seconds = { without, beside: await trial.servedWithin(beside, step, 0.99) };
    return { neighbour: beside, other: broken, seconds };
  } finally {
    await comparison.healIt();
  }
}

/** Returns the permitted seconds beside a fault: 20 % more, and half a second for a busy machine. */
export function undisturbed(withoutSeconds: number): number {
  return 1.2 * withoutSeconds + 0.5;
}

import type { QuarantinedStep } from '#client/types.gen.ts';

type GroupedStep = Pick<
  QuarantinedStep,
  'id' | 'action' | 'country' | 'runId' | 'users' | 'since' | 'replayable' | 'whyNot'
>;

/** Steps of a shard that permit the same actions. */
export interface StepGroup<Step extends GroupedStep = QuarantinedStep> {
  key: string;
  action: string;
  country: string;
  /** Reason why the steps cannot be reopened; null if they can. */
  whyNot: string | null;
  steps: Step[];
  items: number;
  users: number;
  runs: number;
  firstAt: string;
  lastAt: string;
}

/** Groups steps: those that can be reopened first, then by the newest step. @param steps newest first */
export function groupSteps<Step extends GroupedStep>(steps: readonly Step[]): StepGroup<Step>[] {
  const byKey = Map.groupBy(steps, keyOf);
  const groups = [...byKey].flatMap(([key, of]) => {
    const [newest, oldest] = [of[0], of.at(-1)];
    return newest && oldest ? [groupOf(key, newest, oldest, of)] : [];
  });
  return groups.sort(
    (a, b) => Number(a.whyNot !== null) - Number(b.whyNot !== null) || b.lastAt.localeCompare(a.lastAt),
  );
}

function keyOf({ action, country, replayable, whyNot }: GroupedStep): string {
  return [action, country, replayable ? '' : whyNot].join('\n');
}

function groupOf<Step extends GroupedStep>(key: string, newest: Step, oldest: Step, steps: Step[]): StepGroup<Step> {
  const { action, country, replayable, whyNot } = newest;
  return {
    ...{ key, action, country, steps, items: steps.length, whyNot: replayable ? null : (whyNot ?? 'nobody says why') },
    users: steps.reduce((sum, { users }) => sum + users, 0),
    runs: new Set(steps.map(({ runId }) => runId)).size,
    ...{ firstAt: oldest.since, lastAt: newest.since },
  };
}

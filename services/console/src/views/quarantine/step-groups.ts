import type { QuarantinedStep } from '#client/types.gen.ts';

type GroupedStep = Pick<
  QuarantinedStep,
  'id' | 'action' | 'country' | 'runId' | 'users' | 'since' | 'replayable' | 'whyNot'
>;

/** Quarantined steps of one action type and country that can all be reopened, or cannot for the same reason. */
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

/**
 * Groups steps. Groups that can be reopened come first, then the groups with the newest steps.
 * @param steps newest first
 */
export function groupSteps<Step extends GroupedStep>(steps: readonly Step[]): StepGroup<Step>[] {
  const byKey = Map.groupBy(steps, keyOf);
  const groups = [...byKey].flatMap(([key, members]) => {
    const [newest, oldest] = [members[0], members.at(-1)];
    return newest && oldest ? [groupOf(key, newest, oldest, members)] : [];
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
    key,
    action,
    country,
    steps,
    items: steps.length,
    whyNot: replayable ? null : (whyNot ?? 'no reason was given'),
    users: steps.reduce((sum, { users }) => sum + users, 0),
    runs: new Set(steps.map(({ runId }) => runId)).size,
    firstAt: oldest.since,
    lastAt: newest.since,
  };
}

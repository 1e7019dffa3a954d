import { publicId } from '../../shared/domain/ids/ids.ts';
import { reasons } from '../../shared/domain/step/reasons.ts';
import type { MemoryDatabase } from '../support/memory/memory-database.ts';
import type { ScriptedEndpoint } from './scripted-endpoint.ts';

/** A cap over some steps of all campaigns. Steps count from 1. */
export interface PlannedCap {
  steps: readonly number[];
  effects: number;
}

/** Number of campaigns with the same audience and chain that run beside the first one in a scenario with caps. */
export const otherCampaigns = 2;

const nameOf = (index: number) => `cap-${index + 1}`;
const keyOf = (run: string, step: number, user: string) => `${run}/${step}/${user}`;

/** Sets caps, which last longer than a simulation, and counts the applied effects of each user against them. */
export function createSimulatedCaps(plan: readonly PlannedCap[], chain: readonly string[], database: MemoryDatabase) {
  database.caps = plan.map(({ steps, effects }, index) => ({
    name: nameOf(index),
    actionTypes: steps.flatMap((step) => chain[step - 1] ?? []),
    effects,
    days: 7,
    counting: index % 2 === 0 ? 'rolling' : 'calendar',
    countsFrom: new Date(0),
  }));

  /** Returns each applied effect under the cap, once for each user, run and step. */
  function appliedUnder({ steps }: PlannedCap, { effectsByRun }: ScriptedEndpoint) {
    return [...effectsByRun].flatMap(([run, ofRun]) =>
      steps.flatMap((step) =>
        [...(ofRun[step - 1]?.keys() ?? [])].map((user) => ({ user, key: keyOf(run, step, user) })),
      ),
    );
  }

  /** Returns the keys of the effects that the cap counts. */
  function countedUnder({ steps }: PlannedCap): Set<string> {
    const rows = [...database.effects.values()].filter(({ step }) => steps.includes(step));
    return new Set(
      rows.flatMap(({ feedId, step, users }) => {
        const run = publicId('run', database.feeds.get(feedId)?.runId ?? '');
        return users.map((user) => keyOf(run, step, user));
      }),
    );
  }

  /** Returns the findings of the witnesses. */
  function findings(endpoint: ScriptedEndpoint): string[] {
    return plan.flatMap((cap, index) => {
      const applied = appliedUnder(cap, endpoint);
      const counted = countedUnder(cap);
      const exceeded = [...Map.groupBy(applied, ({ user }) => user)].filter(([, { length }]) => length > cap.effects);
      return [
        ...exceeded.map(([user, { length }]) => `K1: ${length} effects of ${user}, above ${nameOf(index)}`),
        ...applied
          .filter(({ key }) => !counted.has(key))
          .map(({ key }) => `K2: ${key} does not count for ${nameOf(index)}`),
      ];
    });
  }

  return {
    findings,
    /** Returns the number of users that were not called because of a cap. */
    capped: () => database.failures.filter(({ reason }) => reason === reasons.cap).length,
  };
}

import type { Catalogue } from '../../../../shared/contracts/endpoints/engine-config.ts';
import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { StepMode } from '../../../../shared/domain/run/run-kinds.ts';

/** Returns the mode of each step: `test` if the action type's endpoint supports tests. */
export function stepModesOf(chain: readonly ChainStep[], { actionTypes }: Pick<Catalogue, 'actionTypes'>): StepMode[] {
  return chain.map(({ action }) => (actionTypes[action]?.understandsTest === true ? 'test' : 'live'));
}

export function chainThatGives(chain: readonly ChainStep[], modes: readonly StepMode[]): ChainStep[] {
  return chain.map((step, index) => (modes[index] === 'test' ? { ...step, unitsPerUser: undefined } : step));
}

export function summaryOf(users: number, steps: readonly { action: string; mode: StepMode }[]): string {
  const actionsOf = (wanted: StepMode) => [
    ...new Set(steps.flatMap(({ action, mode }) => (mode === wanted ? [action] : []))),
  ];
  const [live, test] = [actionsOf('live'), actionsOf('test')];
  const told = `${test.join(', ')}: the endpoint is told that it is a test, and gives nothing.`;
  if (live.length === 0) return `Nobody really gets anything. ${told}`;
  const who = users === 1 ? 'this user really gets' : `these ${users} users really get`;
  const real = `${live.join(', ')}: ${who} it.`;
  return test.length === 0 ? real : `${real} ${told}`;
}

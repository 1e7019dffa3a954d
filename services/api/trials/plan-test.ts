import type { ChainStep } from '../../../shared/contracts/campaigns/campaigns.ts';
import { splitOf } from '../../../shared/contracts/campaigns/variants.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { StepMode } from '../../../shared/domain/run/run-kinds.ts';
import { usualBatchUsers } from '../../../shared/domain/step/batch.ts';
import type { CampaignRecord } from '../campaigns/campaign-store.port.ts';
import type { WantedTest } from './postgres/judge-test.ts';

export interface PlannedTest {
  wanted: WantedTest;
  /** Action types of the chain, each once. */
  actions: readonly string[];
  /** Batch size of any run with this chain: the smallest of its action types. */
  batchUsers: number;
}

/** Returns the test of a campaign, with the mode of each step by the present catalogue. */
export function planTest(
  record: CampaignRecord,
  request: Pick<WantedTest, 'users' | 'again' | 'by'>,
  { actionTypes }: Pick<Catalogue, 'actionTypes'>,
): PlannedTest {
  const { chain } = record.definition;
  const modes = chain.map(({ action }) => modeOf(actionTypes[action]));
  const real = chain.flatMap(({ action }, index) => (modes[index] === 'live' ? [action] : []));
  const campaign = { ...record, definition: { ...record.definition, chain: chainThatGives(chain, modes) } };
  const actions = [...new Set(chain.map(({ action }) => action))];
  const called = [...actions, ...chain.flatMap(({ check }) => check?.type ?? [])];
  return {
    wanted: {
      ...request,
      variants: splitOf(chain).map(({ name }) => name),
      campaign,
      modes,
      actions: [...new Set(real)],
    },
    actions,
    batchUsers: Math.min(...called.map((name) => actionTypes[name]?.batchSize ?? usualBatchUsers)),
  };
}

/** Returns `test` if the action type's endpoint supports tests. */
function modeOf(type: Catalogue['actionTypes'][string] | undefined): StepMode {
  return type?.understandsTest === true ? 'test' : 'live';
}

function chainThatGives(chain: readonly ChainStep[], modes: readonly StepMode[]): ChainStep[] {
  return chain.map((step, index) => (modes[index] === 'test' ? { ...step, unitsPerUser: undefined } : step));
}

import type { CampaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { actionTypeConfig } from '../../shared/contracts/endpoints/action-type-config.ts';
import type { EngineConfig } from '../../shared/contracts/endpoints/engine-config.ts';
import { checkType, lateMs, type Keeping } from './scripted-endpoint.ts';
import { budgetsFor, type BudgetPlan } from './simulated-budgets.ts';
import { simulatedVariants, splitSeed } from './variant-witness.ts';

/** Time-out of every call. */
export const timeoutMs = 1000;

interface DefinedTerms {
  deadlineSeconds: number;
  budget?: BudgetPlan | null;
  refused?: unknown;
  varied?: boolean | undefined;
}

export function definitionFor(
  chain: readonly string[],
  countries: string[],
  { deadlineSeconds, budget = null, refused, varied = false }: DefinedTerms,
): CampaignDefinition {
  const check = { type: checkType, onUnavailable: deadlineSeconds % 2 === 0 ? 'wait' : 'fail' } as const;
  const steps = chain.map((action, index) => {
    // Later steps follow the first one, and have no weights.
    const variants = index === 0 ? simulatedVariants : simulatedVariants.map(({ weight: _, ...variant }) => variant);
    return { action, params: {}, ...(refused !== undefined && { check }), ...(varied && { variants }) };
  });
  return {
    name: 'Simulated',
    countries,
    audience: { include: [{ segment: 'everybody' }] },
    ...budgetsFor(budget, steps, countries),
    ...(varied && { splitSeed }),
    schedule: { type: 'now' },
    deadlineSeconds,
    priority: 'normal',
  };
}

export function engineConfigFor(chain: readonly string[], countries: string[], keeping: Keeping): EngineConfig {
  const contractClass = keeping === 'naive' ? 'B' : keeping;
  const status = { statusUrl: 'http://unused/status', appliesLateSeconds: 1 + lateMs / 1000 };
  const actionType = actionTypeConfig.parse({
    url: 'http://unused',
    class: contractClass,
    timeoutMs,
    concurrency: 4,
    ...(keeping === 'C' && status),
  });
  const check = actionTypeConfig.parse({ url: 'http://unused', class: 'A', check: true, timeoutMs, concurrency: 4 });
  return {
    countries,
    segmentation: { url: 'http://unused', timeoutMs: 1000, pageSize: 100 },
    actionTypes: { ...Object.fromEntries(chain.map((name) => [name, actionType])), [checkType]: check },
    partitionsPerShard: 2,
    replicationFactor: 1,
  };
}

import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../shared/contracts/campaigns/estimates.ts';
import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import { listed } from './ask-sources.ts';

/** Of each step, why no worker can take it as things are: it would wait until one can. */
export function unservedSteps(
  { chain, countries }: { chain: readonly { action: string }[]; countries: CampaignDefinition['countries'] },
  refusals: readonly ShardRefusal[],
): Warning[] {
  return chain.flatMap(({ action }, index) => {
    const own = refusals.filter(({ actionType, country }) => actionType === action && countries.includes(country));
    return Array.from(
      Map.groupBy(own, ({ cause }) => cause),
      ([cause, group]) => {
        const where = listed(group.map(({ country }) => country));
        const detail = `no worker can take ${action} in ${where}, and it would wait: ${cause}`;
        return { pointer: `/chain/${index}/action`, code: 'no-worker', detail };
      },
    );
  });
}

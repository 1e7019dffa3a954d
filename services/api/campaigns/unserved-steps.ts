import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../shared/contracts/warnings.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import { listCountries } from '../audiences/estimates/estimate-sources.ts';

export interface UnservedStepsDeps {
  /** Returns the given shards that no worker serves, once for each cause. */
  unservedShards: (shards: readonly Shard[]) => Promise<readonly ShardRefusal[]>;
}

/** Returns warnings for steps that no worker serves at present. A run would wait until a worker serves them. */
export async function findUnservedSteps(
  { chain, countries }: { chain: readonly { action: string }[]; countries: CampaignDefinition['countries'] },
  { unservedShards }: UnservedStepsDeps,
): Promise<Warning[]> {
  const actions = [...new Set(chain.map(({ action }) => action))];
  const shards = actions.flatMap((actionType) => countries.map((country) => ({ actionType, country })));
  const unserved = Map.groupBy(await unservedShards(shards), ({ actionType }) => actionType);
  return chain.flatMap(({ action }, index) =>
    Array.from(
      Map.groupBy(unserved.get(action) ?? [], ({ cause }) => cause),
      ([cause, group]) => {
        const where = listCountries(group.map(({ country }) => country));
        const detail = `no worker can serve ${action} in ${where}, and it would wait: ${cause}`;
        return { pointer: `/chain/${index}/action`, code: 'no-worker', detail };
      },
    ),
  );
}

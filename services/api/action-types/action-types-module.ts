import { readShardRefusals } from '../../../shared/postgres/registry/shard-refusals.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import { createActionTypeStore } from './postgres/action-type-store.ts';

/** What a chain may be made of. */
export function actionTypesModule({ pool, config, egress }: Pick<ApiParts, 'pool' | 'config' | 'egress'>) {
  return {
    actionTypes: createActionTypeStore({ pool }),
    secretBox: config.secretBox,
    egress,
    refusals: () => readShardRefusals(pool),
  };
}

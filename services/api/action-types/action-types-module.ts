import { readShardRefusals } from '../../../shared/postgres/registry/shard-refusals.ts';
import { readsSentAgain } from '../../../shared/runtime/meter/reads-sent-again.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import { createOptionEndpoints } from './options/http/option-endpoints.ts';
import { createUsedValues } from './options/postgres/used-values.ts';
import { createActionTypeStore } from './postgres/action-type-store.ts';

/** What a chain may be made of. */
export function actionTypesModule({
  pool,
  config: { secretBox },
  egress,
  environment,
  clock,
  meter,
  onClose,
}: Pick<ApiParts, 'pool' | 'config' | 'egress' | 'environment' | 'clock' | 'meter' | 'onClose'>) {
  const onSentAgain = readsSentAgain(meter, 'options');
  const optionEndpoints = createOptionEndpoints({ egress, secretBox, environment, clock, onSentAgain });
  return {
    actionTypes: createActionTypeStore({ pool }),
    secretBox,
    egress,
    refusals: () => readShardRefusals(pool),
    usedValues: createUsedValues({ pool }),
    optionSource: onClose(optionEndpoints, (source) => source.close()),
  };
}

import { readsSentAgain } from '../../../../shared/runtime/meter/reads-sent-again.ts';
import type { BaseParts } from '../../frame/parts.ts';
import { createOptionEndpoints } from './http/option-endpoints.ts';

export function createOptionParts({ egress, secretBox, environment, clock, meter, onClose }: BaseParts) {
  const onSentAgain = readsSentAgain(meter, 'options');
  const optionEndpoints = createOptionEndpoints({ egress, secretBox, environment, clock, onSentAgain });
  return { optionSource: onClose(optionEndpoints, (source) => source.close()) };
}

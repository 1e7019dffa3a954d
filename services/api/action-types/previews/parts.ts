import { readsSentAgain } from '../../../../shared/runtime/meter/reads-sent-again.ts';
import type { BaseParts } from '../../frame/parts.ts';
import { createPreviewEndpoints } from './http/preview-endpoints.ts';
import type { PreviewSource } from './preview-source.port.ts';

export function createPreviewParts({ egress, secretBox, environment, clock, meter, onClose }: BaseParts) {
  const onSentAgain = readsSentAgain(meter, 'previews');
  const previewEndpoints = createPreviewEndpoints({ egress, secretBox, environment, clock, onSentAgain });
  const previewSource: PreviewSource = onClose(previewEndpoints, (source) => source.close());
  return { previewSource };
}

import { createSegmentation } from '../../../shared/http-client/segmentation-client.ts';
import { createStoredAudiences } from '../../../shared/postgres/audiences/stored-audiences.ts';
import type { SegmentList, Segmentation } from '../../../shared/ports/segmentation.ts';
import { readsSentAgain } from '../../../shared/runtime/meter/reads-sent-again.ts';
import type { BaseParts } from '../frame/parts.ts';
import { optionalSegmentation } from './estimates/optional-segmentation.ts';
import { createCountRequests } from './counts/postgres/count-requests.ts';
import { createAudienceStore } from './lists/postgres/audience-store.ts';
import { createSavedAudienceStore } from './saved/postgres/saved-audience-store.ts';

/** Maximum number of concurrent requests to the segmentation service, for all API requests of this process together. */
const maxConcurrentRequests = 64;

export function createAudienceParts({ pool, uploadPool, quotas, ...parts }: BaseParts) {
  return {
    audiences: createAudienceStore({ pool, uploadPool, quotas }),
    savedAudiences: createSavedAudienceStore({ pool, quotas }),
    countRequests: createCountRequests({ pool }),
    storedAudiences: createStoredAudiences({ pool }),
    segmentation: openSegmentation(parts),
  };
}

type Parts = Pick<BaseParts, 'config' | 'environment' | 'egress' | 'logger' | 'meter' | 'onClose'>;

function openSegmentation(parts: Parts): Pick<Segmentation, 'describe'> & SegmentList {
  const { config, environment, egress, logger, meter, onClose } = parts;
  const connections = { pages: 1, descriptions: maxConcurrentRequests };
  const onSentAgain = readsSentAgain(meter, 'segmentation');
  return onClose(
    optionalSegmentation(
      () => createSegmentation({ config: config.engine, environment, egress, connections, onSentAgain }),
      logger,
    ),
    (opened) => opened.close(),
  );
}

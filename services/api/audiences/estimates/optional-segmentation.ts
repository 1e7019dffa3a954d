import { ConfigurationError } from '../../../../shared/runtime/configuration/configuration-error.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import type { SegmentList, Segmentation } from '../../../../shared/ports/segmentation.ts';

type SegmentationClient = Pick<Segmentation, 'describe'> & SegmentList & { close(): Promise<void> };

/**
 * Returns the client of the segmentation service. If the API has no credentials for the service, returns a substitute
 * whose answers cause warnings.
 */
export function optionalSegmentation(create: () => SegmentationClient, logger: Logger): SegmentationClient {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    logger.warn({ cause: error.message }, 'segments are not checked when campaigns are created');
    const failure = { kind: 'unavailable', cause: 'the API has no credentials for it', retryAfterMs: null } as const;
    const unavailable = () => Promise.resolve({ ok: false, failure } as const);
    return { describe: unavailable, list: unavailable, close: () => Promise.resolve() };
  }
}

import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import type { LostRef, OutboxSweep } from '../ports/outbox-sweep.ts';
import { lostMessages } from '../feed/step-messages.ts';

export interface OfferLostDeps {
  outboxSweep: Pick<OutboxSweep, 'revertOffers'>;
  publisher: MessagePublisher;
}

/**
 * Publishes references, each topic separately, so that an unavailable topic does not delay others. References that
 * could not be published are due again soon.
 * @returns by topic, the cause of the failure; null on success
 */
export async function offerLost(
  refs: readonly LostRef[],
  topicOf: (ref: LostRef) => string,
  { outboxSweep, publisher }: OfferLostDeps,
): Promise<Map<string, string | null>> {
  const causes = new Map<string, string | null>();
  await Promise.all(
    [...Map.groupBy(refs, topicOf)].map(async ([topic, ofTopic]) => {
      try {
        await publisher.publish(lostMessages(topicOf, ofTopic));
        causes.set(topic, null);
      } catch (error) {
        causes.set(topic, error instanceof Error ? error.message : String(error));
        await outboxSweep.revertOffers(ofTopic);
      }
    }),
  );
  return causes;
}

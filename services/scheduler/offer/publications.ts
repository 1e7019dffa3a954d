import { maxReferences } from '../../../shared/contracts/messages/job-references.ts';
import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { bandOrder, storedPriority, type StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher, OutgoingMessage } from '../../../shared/ports/message-bus.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';

/** Maximum number of publications at the same time. `jobsPerPublication` is the maximum number of jobs in each. */
const maxPublications = 4;
const jobsPerPublication = 1000;
const afterErrorMs = 500;

export interface PublicationsDeps {
  publisher: MessagePublisher;
  topic: string;
  clock: Clock;
  logger: Logger;
}

/**
 * Offers that are being published to Kafka. A failed publication is retried until it succeeds, because a repeated
 * message does no harm.
 */
export interface Publications {
  /** True if the caller should read no more jobs, because Kafka does not keep up. */
  readonly isFull: boolean;
  readonly offered: number;
  publish(references: readonly JobReference[]): void;
  /**
   * Resolves when no publication is in progress. Publications that fail meanwhile are dropped; the sweep finds their
   * jobs.
   */
  end(): Promise<void>;
}

export function createPublications({ publisher, topic, clock, logger }: PublicationsDeps): Publications {
  const underWay = new Set<Promise<void>>();
  const ending = new AbortController();
  let offered = 0;

  async function publishAll(references: readonly JobReference[]): Promise<void> {
    const outgoing = messagesOf(references, topic);
    while (!ending.signal.aborted) {
      try {
        await publisher.publish(outgoing);
        offered += references.length;
        return;
      } catch (error) {
        logger.warn({ err: error, jobs: references.length }, 'could not offer jobs, trying again');
        await clock.sleep(afterErrorMs, ending.signal);
      }
    }
  }

  return {
    get isFull() {
      return underWay.size >= maxPublications;
    },
    get offered() {
      return offered;
    },
    publish: (references) => {
      for (let first = 0; first < references.length; first += jobsPerPublication) {
        const publication = publishAll(references.slice(first, first + jobsPerPublication));
        underWay.add(publication);
        void publication.finally(() => underWay.delete(publication));
      }
    },
    end: async () => {
      ending.abort();
      await Promise.all(underWay);
    },
  };
}

/**
 * Returns messages with a few dozen references of one priority each, because each message costs more than the
 * references in it.
 */
export function messagesOf(references: readonly JobReference[], topic: string): OutgoingMessage[] {
  if (references.every(({ priority }) => priority === undefined)) return messagesAt(undefined, references, topic);
  const bands = Map.groupBy(references, ({ priority }) => priority);
  return bandOrder.flatMap((band) => {
    const priority = storedPriority(band);
    return messagesAt(priority, bands.get(priority) ?? [], topic);
  });
}

function messagesAt(
  priority: StoredPriority | undefined,
  references: readonly JobReference[],
  topic: string,
): OutgoingMessage[] {
  const messages: OutgoingMessage[] = [];
  for (let first = 0; first < references.length; first += maxReferences) {
    const clients: string[] = [];
    const jobs = references.slice(first, first + maxReferences).map(({ partition, dueUs, jobId, clientId }) => {
      const known = clients.indexOf(clientId);
      const place = known === -1 ? clients.push(clientId) - 1 : known;
      return [partition, dueUs, jobId, place];
    });
    messages.push({ topic, value: JSON.stringify({ clients, jobs, priority }) });
  }
  return messages;
}

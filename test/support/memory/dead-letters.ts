import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { LetterPublisher, LetterReplays } from '../../../services/trigger/ports/letter-replays.ts';
import { cleanDetail } from '../../../shared/domain/step/reasons.ts';
import type { DeadLetters } from '../../../shared/ports/dead-letters.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryDeadLetters({ database }: { database: MemoryDatabase }): DeadLetters {
  return {
    add: (letters) =>
      atOnce(() => {
        for (const { message, reason } of letters) {
          const { lane, offset, key, value } = message;
          const { topic, partition } = lane;
          const place = `${topic}/${partition}/${offset}/${digestOf(key)}${digestOf(value)}`;
          if (database.deadLetters.has(place)) continue;
          const createdAt = database.clock.now();
          const created = { state: 'kept', replays: 0, createdAt, settledAt: null } as const;
          const at = { letterId: uuidv7(), topic, partition, offset };
          database.deadLetters.set(place, { ...at, ...created, key, value, reason: cleanDetail(reason) });
        }
      }),
  };
}

export function createMemoryLetterReplays({ database }: { database: MemoryDatabase }): LetterReplays {
  const replaying = () => [...database.deadLetters.values()].filter(({ state }) => state === 'replaying');
  return {
    wanted: (limit) =>
      atOnce(() =>
        replaying()
          .toSorted((a, b) => (a.letterId < b.letterId ? -1 : 1))
          .slice(0, limit)
          .map(({ letterId, topic, key, value }) => ({ letterId, topic, key, value })),
      ),
    settle: (letterIds) =>
      atOnce(() => {
        for (const row of replaying()) {
          if (!letterIds.includes(row.letterId)) continue;
          row.state = 'replayed';
          row.replays++;
          row.settledAt = database.clock.now();
        }
      }),
  };
}

/** Creates a publisher of texts, because the bus in memory knows only texts. */
export function createMemoryLetterPublisher({ publisher }: { publisher: MessagePublisher }): LetterPublisher {
  return {
    publish: (letters) =>
      publisher.publish(letters.map(({ topic, value }) => ({ topic, value: value?.toString('utf8') ?? '' }))),
  };
}

function digestOf(bytes: Buffer | null): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

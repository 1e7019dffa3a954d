import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { DeadLetterFilter, DeadLetterStore } from '../../../services/api/trouble/dead-letter-store.port.ts';
import type { LetterPublisher, LetterReplays } from '../../../services/trigger/sweep/letter-replays.port.ts';
import { cleanDetail } from '../../../shared/domain/step/reasons.ts';
import type { DeadLetters } from '../../../shared/ports/dead-letters.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { DeadLetterRow } from './service-tables.ts';
import { pageOf, requireIdCursor } from '../../../services/api/frame/postgres/pages.ts';

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
          const born = { state: 'kept', replays: 0, createdAt, settledAt: null } as const;
          const at = { letterId: uuidv7(), topic, partition, offset };
          database.deadLetters.set(place, { ...at, ...born, key, value, reason: cleanDetail(reason) });
        }
      }),
  };
}

export function createMemoryDeadLetterStore({ database }: { database: MemoryDatabase }): DeadLetterStore {
  const { deadLetters, clock } = database;
  const fitting = ({ topic, reason, state }: DeadLetterFilter) =>
    [...deadLetters.values()].filter(
      (row) =>
        (topic === undefined || row.topic === topic) &&
        (reason === undefined || row.reason === reason) &&
        (state === undefined || row.state === state),
    );
  const viewOf = ({ key: _key, value, ...row }: DeadLetterRow) => ({ ...row, bytes: value?.length ?? 0 });
  const rowOf = (letterId: string) => [...deadLetters.values()].find((row) => row.letterId === letterId);

  function settle(row: DeadLetterRow, to: 'replaying' | 'discarded'): void {
    row.state = to;
    row.settledAt = to === 'discarded' ? clock.now() : null;
  }

  return {
    groups: (filter) =>
      atOnce(() =>
        [...Map.groupBy(fitting(filter), ({ topic, reason }) => `${topic}\n${reason}`).values()]
          .map((rows) => {
            const times = rows.map(({ createdAt }) => createdAt.getTime());
            const { topic = '', reason = '' } = rows[0] ?? {};
            const [firstAt, lastAt] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
            return { topic, reason, letters: rows.length, firstAt, lastAt };
          })
          .toSorted((a, b) => b.letters - a.letters || (a.topic + a.reason < b.topic + b.reason ? -1 : 1)),
      ),
    list: (filter, limit, cursor) =>
      atOnce(() => {
        requireIdCursor(cursor);
        const rows = fitting(filter)
          .filter(({ letterId }) => cursor === null || letterId < cursor)
          .toSorted((a, b) => (a.letterId < b.letterId ? 1 : -1));
        return pageOf(rows.slice(0, limit + 1).map(viewOf), limit, ({ letterId }) => letterId);
      }),
    find: (letterId, maxBytes) =>
      atOnce(() => {
        const row = rowOf(letterId);
        return row && { ...viewOf(row), key: row.key, value: row.value?.subarray(0, maxBytes) ?? null };
      }),
    settle: (letterId, to) =>
      atOnce(() => {
        const row = rowOf(letterId);
        if (row?.state === 'kept') settle(row, to);
        return row && viewOf(row);
      }),
    settleAll: (filter, to) =>
      atOnce(() => {
        const rows = fitting({ ...filter, state: 'kept' });
        for (const row of rows) settle(row, to);
        return rows.length;
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

/** The bus in memory knows texts only. */
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

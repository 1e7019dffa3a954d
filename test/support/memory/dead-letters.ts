import { createHash } from 'node:crypto';
import { cleanDetail } from '../../../shared/domain/reasons.ts';
import type { DeadLetters } from '../../../shared/ports/dead-letters.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryDeadLetters({ database }: { database: MemoryDatabase }): DeadLetters {
  return {
    add: (letters) =>
      atOnce(() => {
        for (const { message, reason } of letters) {
          const { lane, offset, key, value } = message;
          const id = `${lane.topic}/${lane.partition}/${offset}/${digestOf(key)}${digestOf(value)}`;
          if (!database.deadLetters.has(id)) database.deadLetters.set(id, { key, value, reason: cleanDetail(reason) });
        }
      }),
  };
}

function digestOf(bytes: Buffer | null): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

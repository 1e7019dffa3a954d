import { cleanDetail } from '../../../shared/domain/reasons.ts';
import type { DeadLetters } from '../../../shared/ports/dead-letters.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryDeadLetters({ database }: { database: MemoryDatabase }): DeadLetters {
  return {
    deadLetter: ({ lane, offset, key, value }, reason) =>
      atOnce(() => {
        const position = `${lane.topic}/${lane.partition}/${offset}`;
        if (database.deadLetters.has(position)) return;
        database.deadLetters.set(position, { key, value, reason: cleanDetail(reason) });
      }),
  };
}

import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { cleanDetail } from '../domain/reasons.ts';
import type { DeadLetters } from '../ports/dead-letters.ts';

export function createDeadLetters({ pool }: { pool: Pool }): DeadLetters {
  return {
    deadLetter: async ({ lane, offset, key, value }, reason) => {
      await pool.query(insertDeadLetter, [
        uuidv7(),
        lane.topic,
        lane.partition,
        offset,
        key,
        value,
        // It may quote the record, and the record may hold what no Postgres text can.
        cleanDetail(reason),
      ]);
    },
  };
}

const insertDeadLetter = `
  insert into dead_letters (id, topic, partition, "offset", key, value, reason) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (topic, partition, "offset") do nothing`;

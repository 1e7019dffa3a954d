import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { cleanDetail } from '../../domain/step/reasons.ts';
import type { DeadLetters } from '../../ports/dead-letters.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';

/** @param deps.pool separate from the ledger's pool: many unreadable messages must not delay flushes */
export function createDeadLetters({ pool }: { pool: Pool }): DeadLetters {
  return {
    add: async (letters) => {
      if (letters.length === 0) return;
      await pool.query(
        insertDeadLetters.with({
          ids: plainArray(letters.map(() => uuidv7())),
          topics: textArray(letters.map(({ message }) => message.lane.topic)),
          partitions: plainArray(letters.map(({ message }) => message.lane.partition)),
          offsets: plainArray(letters.map(({ message }) => message.offset)),
          keys: byteaArray(letters.map(({ message }) => message.key)),
          values: byteaArray(letters.map(({ message }) => message.value)),
          // The reason may quote the message, which may contain characters that Postgres texts cannot hold.
          reasons: textArray(letters.map(({ reason }) => cleanDetail(reason))),
        }),
      );
    },
  };
}

function byteaArray(values: readonly (Buffer | null)[]): string {
  return textArray(values.map((value) => (value === null ? null : `\\x${value.toString('hex')}`)));
}

interface DeadLetterParams {
  ids: string;
  topics: string;
  partitions: string;
  offsets: string;
  keys: string;
  values: string;
  reasons: string;
}

const insertDeadLetters = statementOf<DeadLetterParams>(
  'insert-dead-letters',
  ($) => `
  insert into dead_letters (id, topic, partition, "offset", key, value, reason)
  select * from unnest(${$('ids')}::uuid[], ${$('topics')}::text[], ${$('partitions')}::int[],
    ${$('offsets')}::bigint[], ${$('keys')}::bytea[], ${$('values')}::bytea[], ${$('reasons')}::text[])
  on conflict (topic, partition, "offset", digest) do nothing`,
);

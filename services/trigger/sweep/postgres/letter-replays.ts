import type { Pool } from 'pg';
import type { LetterReplays, ReplayedLetter } from '../../ports/letter-replays.ts';

export function createLetterReplays({ pool }: { pool: Pool }): LetterReplays {
  return {
    wanted: async (limit) => {
      const { rows } = await pool.query<ReplayedLetter>({
        name: 'wanted-replays',
        text: selectWanted,
        values: [limit],
      });
      return rows;
    },
    settle: async (letterIds) => {
      if (letterIds.length > 0) await pool.query(settleReplayed, [letterIds]);
    },
  };
}

const selectWanted = `
  select id as "letterId", topic, key, value from dead_letters where state = 'replaying' order by id limit $1`;

const settleReplayed = `
  update dead_letters set state = 'replayed', replays = replays + 1, settled_at = now()
    where id = any($1::uuid[]) and state = 'replaying'`;

import { createDeadLetterStore } from '../../services/api/trouble/postgres/dead-letter-store.ts';
import { createLetterReplays } from '../../services/trigger/sweep/postgres/letter-replays.ts';
import { createDeadLetters } from '../../shared/postgres/registry/dead-letters.ts';
import { describeDeadLetterDesk } from '../support/conformance/dead-letter-desk.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';

const database = databaseForFile();

describeDeadLetterDesk('on Postgres', async () => {
  await database.empty();
  return {
    deadLetters: createDeadLetters({ pool: database.pool }),
    desk: createDeadLetterStore({ pool: database.pool }),
    replays: createLetterReplays({ pool: database.pool }),
  };
});

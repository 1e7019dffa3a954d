import { describeDeadLetterDesk } from '../conformance/dead-letter-desk.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { createMemoryDeadLetters, createMemoryDeadLetterStore, createMemoryLetterReplays } from './dead-letters.ts';
import { createMemoryDatabase } from './memory-database.ts';

describeDeadLetterDesk('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  return Promise.resolve({
    deadLetters: createMemoryDeadLetters({ database }),
    desk: createMemoryDeadLetterStore({ database }),
    replays: createMemoryLetterReplays({ database }),
  });
});

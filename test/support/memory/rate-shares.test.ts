import { describeRateShares } from '../conformance/rate-shares.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryRateShares } from './rate-shares.ts';

describeRateShares('in memory', () => {
  const database = createMemoryDatabase(createSettableClock());
  return Promise.resolve({
    sharesOf: (owner: string) => createMemoryRateShares({ database, owner }),
    passTime: (ms: number) => atOnce(() => database.clock.advance(ms)),
  });
});

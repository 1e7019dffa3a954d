import { describeDispatchers } from '../conformance/dispatchers.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryDispatchers, createMemoryJobNodes } from './job-nodes.ts';

describeDispatchers('in memory', () => {
  const clock = createSettableClock();
  const tables = createCallbackTables(clock);
  tables.regions.set('other', { epoch: 1, active: true });
  return Promise.resolve({
    nodes: createMemoryJobNodes({ tables }),
    dispatchers: createMemoryDispatchers({ tables }),
    switchRegion: (name, active) => atOnce(() => void tables.regions.set(name, { epoch: 1, active })),
    passTime: (ms: number) => atOnce(() => clock.advance(ms)),
  });
});

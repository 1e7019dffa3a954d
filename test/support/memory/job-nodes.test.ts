import { describeDispatchers } from '../conformance/dispatchers.conformance.ts';
import { createSettableClock } from '../settable-clock.ts';
import { atOnce } from './at-once.ts';
import { createCallbackTables } from './callback-tables.ts';
import { createMemoryDispatchers, createMemoryJobNodes } from './job-nodes.ts';

describeDispatchers('in memory', () => {
  const clock = createSettableClock();
  const tables = createCallbackTables(clock);
  return Promise.resolve({
    nodes: createMemoryJobNodes({ tables }),
    dispatchers: createMemoryDispatchers({ tables }),
    passTime: (ms: number) => atOnce(() => clock.advance(ms)),
  });
});

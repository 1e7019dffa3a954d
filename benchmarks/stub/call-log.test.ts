import { expect, it } from 'vitest';
import { createCallLog } from './call-log.ts';

it('a call log counts the most calls of one campaign at once over all its steps, and starts again when it is read', () => {
  const log = createCallLog();
  const first = log.called('a', 1);
  log.called('a', 1);
  log.called('a', 2);
  log.called('b', 1);
  log.answered(first);
  log.called('a', 2);
  expect(log.takeMostAtOnce()).toBe(3);

  log.called('a', 1);
  expect(log.takeMostAtOnce()).toBe(4);
  expect(log.takeMostAtOnce()).toBe(0);
});

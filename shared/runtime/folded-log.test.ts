import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createFoldedLog } from './folded-log.ts';

function setUp() {
  const lines: unknown[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const clock = createSettableClock();
  const log = createFoldedLog({ logger, clock, failing: 'database is gone', fields: { loop: 'flush' } });
  return { lines, clock, log };
}

describe('a folded log', () => {
  it('writes two lines for 150 failures in 15 s: the first failure and the recovery', () => {
    const { lines, clock, log } = setUp();
    const source = {};
    for (let i = 0; i < 150; i++) {
      log.failed(source, new Error('connect ECONNREFUSED'));
      clock.advance(100);
    }
    log.worked(source);
    const anything: unknown = expect.anything();
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, loop: 'flush', msg: 'database is gone', err: anything }),
      { level: 30, loop: 'flush', failures: 150, msg: 'back after 15 s' },
    ]);
  });

  it('repeats every 30 s how many failures there were since, and the last cause', () => {
    const { lines, clock, log } = setUp();
    const source = {};
    for (let i = 0; i <= 60; i++) {
      log.failed(source, new Error(`refused ${i}`));
      clock.advance(1000);
    }
    expect(lines.slice(1)).toEqual([
      { level: 40, loop: 'flush', failures: 30, cause: 'refused 30', msg: 'database is gone, still' },
      { level: 40, loop: 'flush', failures: 30, cause: 'refused 60', msg: 'database is gone, still' },
    ]);
  });

  it('reports recovery when the last failing source works again', () => {
    const { lines, clock, log } = setUp();
    const [first, second] = [{}, {}];
    log.failed(first, new Error('gone'));
    log.failed(second, new Error('gone'));
    log.worked(first);
    expect(lines).toHaveLength(1);
    clock.advance(12_000);
    log.worked(second);
    expect(lines).toEqual([expect.anything(), expect.objectContaining({ failures: 2, msg: 'back after 12 s' })]);
  });

  it('writes nothing for a working source, and does not wait for a source that was forgotten', () => {
    const { lines, log } = setUp();
    const source = {};
    log.worked(source);
    log.failed(source, new Error('gone'));
    log.forget(source);
    log.worked(source);
    expect(lines).toHaveLength(1);
  });
});

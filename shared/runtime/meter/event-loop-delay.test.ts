import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchEventLoop } from './event-loop-delay.ts';
import { createPrometheusMeter } from './prometheus-meter.ts';

describe('the watch of the event loop', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }));
  afterEach(() => vi.useRealTimers());

  it('measures how late its timers fire', async () => {
    const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
    let nowMs = 0;
    watchEventLoop(meter, () => nowMs);
    const pass = (ms: number) => {
      nowMs += ms;
      vi.advanceTimersByTime(200);
    };
    pass(200);
    pass(200);
    // The event loop was blocked for 300 ms from the moment when the timer was due.
    pass(500);
    pass(200);
    const { text } = await meter.expose();
    const lines = text.split('\n').filter((line) => line.startsWith('muster_event_loop_delay_seconds'));
    expect(lines).toContain('muster_event_loop_delay_seconds_count 4');
    expect(lines).toContain('muster_event_loop_delay_seconds_bucket{le="0.2"} 3');
    expect(lines).toContain('muster_event_loop_delay_seconds_bucket{le="0.5"} 4');
    expect(lines).toContain('muster_event_loop_delay_seconds_sum 0.3');
  });
});

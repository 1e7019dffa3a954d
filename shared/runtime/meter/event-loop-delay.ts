import type { Meter } from '../../ports/meter.ts';

/**
 * Each look wakes the process: at this pace they are not to be noticed, and who blocks the loop often is still caught
 * often.
 */
const lookEveryMs = 200;
const buckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5];

/**
 * Measures how late timers of this process fire, as long as it lives. Node's own `monitorEventLoopDelay` needs a
 * hundred wake-ups a second, which is most of what an idle process costs.
 */
export function watchEventLoop(meter: Meter, monotonicMs: () => number = () => performance.now()): void {
  const delays = meter
    .histogram({
      name: 'muster_event_loop_delay_seconds',
      help: `How late a timer fired, of one every ${lookEveryMs} ms.`,
      buckets,
    })
    .of({});
  const look = (dueMs: number) => {
    setTimeout(
      () => {
        const nowMs = monotonicMs();
        delays.observe(Math.max(0, nowMs - dueMs) / 1000);
        look(nowMs + lookEveryMs);
      },
      Math.max(0, dueMs - monotonicMs()),
    ).unref();
  };
  look(monotonicMs() + lookEveryMs);
}

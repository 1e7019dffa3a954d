import type { Meter } from '../../ports/meter.ts';
import { loopMeasuredEveryMs, processMetrics } from './process-metrics.ts';

/**
 * Measures how late timers of this process fire, for its lifetime. Node's own `monitorEventLoopDelay` needs a hundred
 * wake-ups a second, which is most of an idle process's cost.
 */
export function watchEventLoop(meter: Meter, monotonicMs: () => number = () => performance.now()): void {
  const delays = meter.histogram(processMetrics.loopDelay).of({});
  const measure = (dueMs: number) => {
    setTimeout(
      () => {
        const nowMs = monotonicMs();
        delays.observe(Math.max(0, nowMs - dueMs) / 1000);
        measure(nowMs + loopMeasuredEveryMs);
      },
      Math.max(0, dueMs - monotonicMs()),
    ).unref();
  };
  measure(monotonicMs() + loopMeasuredEveryMs);
}

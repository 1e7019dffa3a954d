import type { Meter } from '../../ports/meter.ts';
import { readMetrics } from './process-metrics.ts';

/** Returns a function that counts a read from this service that was sent once more. */
export function readsSentAgain(meter: Meter, service: 'segmentation' | 'options' | 'previews' | 'issuer'): () => void {
  const count = meter.counter(readMetrics.sentAgain).of({ service });
  return () => count.add();
}

import type { Meter } from '../../ports/meter.ts';
import { processMetrics } from '../meter/process-metrics.ts';
import { packageVersion } from '../version.ts';

/** Which version runs, and whose rules of time zones it goes by: those that its Node came with. */
export function exportBuild(meter: Meter, service: string): void {
  const { tz: zoneData = 'unknown' } = process.versions;
  meter.gauge(processMetrics.build).of({ service, version: packageVersion, zone_data: zoneData }).set(1);
}

import type { Meter } from '../../ports/meter.ts';
import { processMetrics } from '../meter/process-metrics.ts';
import { packageVersion } from '../version.ts';

/** Exports the version, and the release of the time zone data that its Node came with. */
export function exportBuild(meter: Meter, service: string): void {
  const { tz: zoneData = 'unknown' } = process.versions;
  meter.gauge(processMetrics.build).of({ service, version: packageVersion, zone_data: zoneData }).set(1);
}

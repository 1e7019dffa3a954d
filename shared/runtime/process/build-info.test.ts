import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createPrometheusMeter } from '../meter/prometheus-meter.ts';
import { exportBuild } from './build-info.ts';
import { packageVersion } from '../version.ts';

it('the build info metric names the version and the release of the time zone database', async () => {
  const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
  exportBuild(meter, 'scheduler');
  const labels = `service="scheduler",version="${packageVersion}",zone_data="${process.versions['tz'] ?? ''}"`;
  expect((await meter.expose()).text).toContain(`muster_build_info{${labels}} 1`);
  expect(process.versions['tz']).toMatch(/^20\d\d[a-z]$/);
});

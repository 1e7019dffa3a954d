import { createApiKeys } from '../../shared/postgres/api-keys.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { digestOfApiKey } from '../../shared/runtime/api-key-secret.ts';
import { listening } from '../../shared/runtime/listening.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createApi } from './api.ts';
import { readConfig } from './config.ts';
import { createCampaignStore } from './postgres/campaign-store.ts';
import { createIdempotentRequests } from './postgres/idempotent-requests.ts';
import { createRunReports } from './postgres/run-reports.ts';

export const apiProcess = defineProcess('api', readConfig, async (config, { logger, onClose }) => {
  const pool = onClose(
    createPool({ connectionString: config.databaseUrl, applicationName: 'muster-api', logger }),
    (opened) => opened.end(),
  );
  const apiKeys = createApiKeys({ pool });

  const api = onClose(
    await createApi({
      host: config.host,
      port: config.port,
      campaigns: createCampaignStore({ pool }),
      reports: createRunReports({ pool }),
      idempotency: createIdempotentRequests({ pool }),
      apiKeys,
      config: config.engine,
      clock: systemClock,
      logger,
      ping: () => pool.query('select 1'),
    }),
    (created) => created.close(),
  );
  if (config.bootstrapApiKey !== undefined) {
    await apiKeys.add('bootstrap', digestOfApiKey(config.bootstrapApiKey));
  }
  const { host, port } = config;
  const url = await listening({ variable: 'API_PORT', host, port }, () => api.start());
  logger.info({ url, docs: `${url}/docs` }, 'api is listening');
  /** `http://host:port`, with the port that was really taken. */
  return { ...api, url };
});

if (isEntry(import.meta)) await runProcess(apiProcess);

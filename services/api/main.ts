import { createApiKeys } from '../../shared/postgres/api-keys.ts';
import { createCampaignStore } from './postgres/campaign-store.ts';
import { createIdempotentRequests } from './postgres/idempotent-requests.ts';
import { createPool } from '../../shared/postgres/pool.ts';
import { createRunReports } from './postgres/run-reports.ts';
import { digestOfApiKey } from '../../shared/runtime/api-key-secret.ts';
import { readEngineConfig } from '../../shared/runtime/engine-config-file.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { isEntry, main } from '../../shared/runtime/main.ts';
import { runUntilSignal, type Service } from '../../shared/runtime/service.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createApi } from './api.ts';
import { readConfig } from './config.ts';

export interface StartedApi extends Service {
  /** `http://host:port`, with the port that was really taken. */
  readonly url: string;
}

export async function startApi(environment: NodeJS.ProcessEnv): Promise<StartedApi> {
  const settings = readConfig(environment);
  const config = readEngineConfig(settings.engineConfigPath);
  const logger = createLogger('api', settings.logLevel);
  const pool = createPool({ connectionString: settings.databaseUrl, applicationName: 'muster-api', logger });
  const apiKeys = createApiKeys({ pool });

  const api = await createApi({
    host: settings.host,
    port: settings.port,
    campaigns: createCampaignStore({ pool }),
    reports: createRunReports({ pool }),
    idempotency: createIdempotentRequests({ pool }),
    apiKeys,
    config,
    clock: systemClock,
    logger,
    ping: () => pool.query('select 1'),
  });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= api.close().then(() => pool.end()));

  try {
    if (settings.bootstrapApiKey !== undefined) {
      await apiKeys.add('bootstrap', digestOfApiKey(settings.bootstrapApiKey));
    }
    const url = await api.start();
    logger.info({ url, docs: `${url}/docs` }, 'api is listening');
    return { ...api, close, url };
  } catch (error) {
    await close();
    throw error;
  }
}

if (isEntry(import.meta)) {
  await main(async () => {
    const { logLevel, stopDeadlineMs } = readConfig(process.env);
    const api = await startApi(process.env);
    await runUntilSignal(api, { logger: createLogger('api', logLevel), stopDeadlineMs });
  });
}

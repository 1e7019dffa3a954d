import { createApiKeys } from '../../shared/postgres/api-keys.ts';
import { createPool, createUploadPool } from '../../shared/postgres/pool.ts';
import { createSettlements } from '../../shared/postgres/settlements.ts';
import { tryToTakePart } from '../../shared/postgres/take-part.ts';
import { digestOfApiKey } from '../../shared/runtime/api-key-secret.ts';
import { installationConfigOf } from '../../shared/runtime/installation-config.ts';
import { listening } from '../../shared/runtime/listening.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createApi } from './api.ts';
import { readConfig } from './config.ts';
import { createAuditLog } from './postgres/audit-log.ts';
import { createAudienceStore } from './postgres/audience-store.ts';
import { createCampaignStore } from './postgres/campaign-store.ts';
import { createIdempotentRequests } from './postgres/idempotent-requests.ts';
import { createRunControl } from './postgres/run-control.ts';
import { createRunReports } from './postgres/run-reports.ts';
import { createSettlementRequests } from './postgres/settlement-requests.ts';

/** How often the API looks whether its database is as it has to be; that it was is believed for as long. */
const lookMs = 5_000;

/** Lists uploaded at once to one process. */
const maxUploads = 4;

export const apiProcess = defineProcess('api', readConfig, async (config, { logger, meter, addPart, onClose }) => {
  const clock = systemClock;
  const pool = onClose(
    createPool({ connectionString: config.databaseUrl, applicationName: 'muster-api', logger, meter }),
    (opened) => opened.end(),
  );
  // Apart: an upload holds its connection for as long as its sender takes.
  const uploads = { connectionString: config.databaseUrl, applicationName: 'muster-api-uploads', max: maxUploads };
  const uploadPool = onClose(createUploadPool({ ...uploads, logger, meter }), (opened) => opened.end());
  const apiKeys = createApiKeys({ pool });
  const file = installationConfigOf(config.engine);

  // The API need not end when its database is not as it has to be: it says so, and serves when it is.
  let problem: Error | undefined = new Error('has not looked at its database yet');
  let isKeyAdded = config.bootstrapApiKey === undefined;
  const look = async () => {
    try {
      await tryToTakePart({ pool, file, clock, logger });
      if (!isKeyAdded) await apiKeys.add('bootstrap', digestOfApiKey(config.bootstrapApiKey ?? ''));
      isKeyAdded = true;
      problem = undefined;
      return lookMs;
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
      throw problem;
    }
  };
  const looks = onClose(
    createLoop({ name: 'look-at-database', turn: look, afterErrorMs: 1000, clock, logger }),
    (loop) => loop.stop(),
  );
  const requireDatabase = async () => {
    if (problem) throw problem;
    await pool.query('select 1');
  };
  addPart('database', requireDatabase);

  const api = onClose(
    await createApi({
      host: config.host,
      port: config.port,
      campaigns: createCampaignStore({ pool }),
      reports: createRunReports({ pool }),
      settlements: createSettlements({ pool }),
      settlementRequests: createSettlementRequests({ pool }),
      control: createRunControl({ pool }),
      audiences: createAudienceStore({ pool, uploadPool }),
      idempotency: createIdempotentRequests({ pool }),
      audit: createAuditLog({ pool }),
      apiKeys,
      config: config.engine,
      clock,
      logger,
      meter,
      ping: requireDatabase,
    }),
    (created) => created.close(),
  );
  // Once before it listens: who starts on a good database finds it ready. What fails here is logged by the loop.
  await look().catch(() => undefined);
  looks.start();
  const { host, port } = config;
  const url = await listening({ variable: 'API_PORT', host, port }, () => api.start());
  logger.info({ url, docs: `${url}/docs` }, 'api is listening');
  /** `http://host:port`, with the port that was really taken. */
  return { ...api, url };
});

if (isEntry(import.meta)) await runProcess(apiProcess);

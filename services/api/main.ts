import { createProcessBeats } from '../../shared/postgres/registry/process-beats.ts';
import { noteSettings } from '../../shared/postgres/registry/service-settings.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import type { Installation } from '../../shared/postgres/registry/installation.ts';
import { goOnTakingPart } from '../../shared/postgres/registry/take-part.ts';
import { addKeyByHand } from '../../shared/postgres/registry/add-api-key.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { installationConfigOf } from '../../shared/runtime/installation/installation-config.ts';
import { listening } from '../../shared/runtime/process/listening.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { consoleFolder } from '../console/built-console.ts';
import { createApi } from './api.ts';
import { createApiParts } from './api-parts.ts';
import { readConfig, type ApiConfig } from './frame/config.ts';
import { readConsolePages } from './console/console-pages.ts';
import { createDatabaseCheck } from './frame/database-check.ts';

export const apiProcess = defineProcess('api', readConfig, async (config, context) => {
  const { logger, owner, addPart, onClose } = context;
  const clock = systemClock;
  const parts = createApiParts(config, { ...context, clock, installationId: () => database.installationId() });
  const { pool } = parts;

  let installation: Installation | undefined;
  let isKeyAdded = config.bootstrapApiKey === undefined;
  let areSettingsStored = false;
  const takePart = async () => {
    const file = installationConfigOf(config.engine);
    installation = await goOnTakingPart({ pool, file, seed: config.engine, clock, logger }, installation);
    const digest = digestOfApiKey(config.bootstrapApiKey ?? '');
    if (!isKeyAdded) await addKeyByHand(pool, { name: 'bootstrap', role: 'operator', digest, by: 'the environment' });
    isKeyAdded = true;
    const { quotas, currency } = config;
    const settings = { QUOTA_OPEN_RUNS: quotas.openRuns, ...(currency !== null && { MUSTER_CURRENCY: currency }) };
    if (!areSettingsStored) await noteSettings(pool, 'api', settings);
    areSettingsStored = true;
    return installation.id;
  };
  const database = onClose(
    createDatabaseCheck({ takePart, ping: () => requireWritable(pool), clock, logger }),
    (created) => created.stop(),
  );
  addPart('database', database.require);
  const beats = onClose(
    createProcessBeats({ pool, owner, service: 'api', region: config.region, clock, logger }),
    (opened) => opened.stop(),
  );

  const pages = await readConsolePages(consoleFolder);
  const api = onClose(
    await createApi({
      ...parts,
      pages,
      ping: database.require,
      databaseProblem: database.refusal,
    }),
    (created) => created.close(),
  );

  // The check runs before the server listens, so that the API is ready from the start if the database can be used. The
  // loop of the check logs failures.
  await database.check().catch(() => undefined);
  database.start();
  beats.start();
  parts.start();
  const { host, port, publicAddress } = config;
  const publicUrl = publicAddress && publicAddress.origin + publicAddress.basePath;
  logger.info(authFields(config.auth), 'authentication');
  const url = await listening({ variable: 'API_PORT', host, port }, () => api.start());
  logger.info({ url, console: pages ? `${publicUrl ?? url}/` : null, docs: `${url}/docs` }, 'api is listening');
  /** The URL is `http://host:port` with the port on which the server actually listens. */
  return { ...api, url };
});

/** Returns the settings for authentication that are logged at startup. */
function authFields({ mode, issuer: settings }: ApiConfig['auth']) {
  if (!settings) return { authMode: mode };
  const { issuer, audiences, roleClaim, scopeClaim = null, client } = settings;
  return { authMode: mode, issuer, audiences, roleClaim, scopeClaim, signsIn: client !== undefined };
}

if (isEntry(import.meta)) await runProcess(apiProcess);

import { requireSignature } from '../../shared/domain/endpoint/require-signature.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import { untilDatabaseAnswers } from '../../shared/postgres/registry/take-part.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { listening } from '../../shared/runtime/process/listening.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { readConfig } from './config.ts';
import { createMysqlSource } from './databases/mysql/mysql-source.ts';
import { createMysqlTarget } from './databases/mysql/mysql-target.ts';
import { createPostgresSource } from './databases/postgres/postgres-source.ts';
import { createPostgresTarget } from './databases/postgres/postgres-target.ts';
import { createActionService } from './sql-action/action-service.ts';
import { createConnectorsServer } from './http/connectors-server.ts';
import { prepareStore } from './segments/postgres/prepare-store.ts';
import { createSnapshotStore } from './segments/postgres/snapshot-store.ts';
import { createSegmentService } from './segments/segment-service.ts';
import { createSnapshotBuilder } from './segments/snapshot-builder.ts';

/** A builder that was killed is replaced after this time. */
const leaseMs = 15_000;
const sweepEveryMs = 60_000;
/** Pages take milliseconds, and each copying writes with one connection at a time. */
const poolSize = 8;

export const connectorsProcess = defineProcess('connectors', readConfig, async (config, context) => {
  const { logger, meter, addPart, onClose } = context;
  const clock = systemClock;
  const pool = onClose(
    createHotPathPool({
      connectionString: config.databaseUrl,
      applicationName: 'muster-connectors',
      max: poolSize,
      logger,
      meter,
    }),
    (opened) => opened.end(),
  );
  addPart('database', () => requireWritable(pool));
  await untilDatabaseAnswers({ clock, logger }, () => prepareStore(config.databaseUrl));

  const sources = new Map(
    [...config.databases].map(([name, settings]) => {
      const source = settings.kind === 'mysql' ? createMysqlSource(settings) : createPostgresSource(settings);
      return [name, onClose(source, (opened) => opened.close())] as const;
    }),
  );
  const written = new Set([...config.actions.values()].map(({ database }) => database));
  const targets = new Map(
    [...config.databases].flatMap(([name, settings]) => {
      if (!written.has(name)) return [];
      const target = settings.kind === 'mysql' ? createMysqlTarget(settings) : createPostgresTarget(settings);
      return [[name, onClose(target, (opened) => opened.close())] as const];
    }),
  );
  const actions = createActionService({ actions: config.actions, targets, logger });
  const store = createSnapshotStore(pool);
  const builder = createSnapshotBuilder({ store, sources, leaseMs, clock, meter, logger });
  const segments = createSegmentService({ segments: config.segments, sources, store, builder, clock });
  const server = createConnectorsServer({
    segments,
    actions,
    authorization: config.authorization,
    checkSignature: config.signingKey && requireSignature(config.signingKey, clock),
    meter,
    logger,
  });
  const sweep = createLoop({
    name: 'sweep-snapshots',
    turn: async () => {
      const swept = await store.sweep();
      if (swept.snapshots + swept.tables > 0) logger.info(swept, 'unused snapshots were dropped');
      return sweepEveryMs;
    },
    afterErrorMs: sweepEveryMs,
    clock,
    logger,
  });
  sweep.start();

  const { host, port } = config;
  const url = await listening({ variable: 'CONNECTORS_PORT', host, port }, () => server.listen({ host, port }));
  logger.info(
    { url, segments: [...config.segments.keys()], actions: [...config.actions.keys()] },
    'connectors are listening',
  );
  let takesRequests = true;
  return {
    /** Base URL `http://host:port`, with the actual port. */
    url,
    ready: () => takesRequests,
    stopIntake: async () => {
      takesRequests = false;
      await Promise.all([server.close(), sweep.stop()]);
    },
    finishWork: () => builder.stop(),
    close: async () => {
      await server.close();
    },
  };
});

if (isEntry(import.meta)) await runProcess(connectorsProcess);

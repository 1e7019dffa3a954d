import { requireSignature } from '../../shared/domain/endpoint/require-signature.ts';
import { createGuardedSockets } from '../../shared/http-client/guarded-sockets.ts';
import { createHostNames } from '../../shared/http-client/host-names.ts';
import type { GuardedSockets } from '../../shared/runtime/egress/guarded-sockets.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import { untilDatabaseAnswers } from '../../shared/postgres/registry/take-part.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { listening } from '../../shared/runtime/process/listening.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createActionService } from './actions/action-service.ts';
import type { Action } from './actions/action.port.ts';
import { readConfig, type ActionSettings } from './config.ts';
import { createFilesSource } from './databases/files/files-source.ts';
import { createMysqlSource } from './databases/mysql/mysql-source.ts';
import { createMysqlTarget } from './databases/mysql/mysql-target.ts';
import { createPostgresSource } from './databases/postgres/postgres-source.ts';
import { createPostgresTarget } from './databases/postgres/postgres-target.ts';
import type { DatabaseSettings, Source } from './databases/source.port.ts';
import type { Target } from './databases/target.port.ts';
import { createMail } from './email/parts.ts';
import { createConnectorsServer } from './http/connectors-server.ts';
import { createSnapshotStore } from './segments/postgres/snapshot-store.ts';
import { createSegmentService } from './segments/segment-service.ts';
import { createSnapshotBuilder } from './segments/snapshot-builder.ts';
import { createCallAction } from './single-calls/call-action.ts';
import { openApi } from './single-calls/http/open-api.ts';
import { createSqlAction } from './sql-action/sql-action.ts';
import { createPace } from './store/postgres/pace.ts';
import { prepareStore } from './store/postgres/prepare-store.ts';
import { createResultStore } from './store/postgres/result-store.ts';

/** Time after which another builder replaces one that was killed. */
const leaseMs = 15_000;
const sweepEveryMs = 60_000;
/** Database connections: pages take milliseconds, and each copy of a snapshot uses one connection at a time. */
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

  const egress = {
    guard: config.guard,
    names: onClose(createHostNames({ clock }), (names) => names.close()),
  };
  const socketsOf = ({ name }: DatabaseSettings) => createGuardedSockets(egress, `database ${name}`);
  const sources = new Map(
    [...config.databases].map(([name, settings]) => [
      name,
      onClose(openSource(settings, socketsOf(settings)), (opened) => opened.close()),
    ]),
  );
  const targets = lazily((name) => {
    const settings = existing(config.databases.get(name));
    return onClose(openTarget(settings, socketsOf(settings)), (opened) => opened.close());
  });
  const results = createResultStore(pool);
  const pace = createPace(pool);
  const sourceOf = (name: string) => existing(sources.get(name));
  const { api: muster } = config;
  const mail =
    muster &&
    onClose(createMail({ pool, results, sourceOf, muster, egress, clock, meter, logger }), (opened) => opened.close());
  const actionOf = (settings: ActionSettings): Action => {
    switch (settings.form) {
      case 'statements':
        return createSqlAction(settings, { target: targets(settings.database), logger });
      case 'email':
        return existing(mail).create(settings);
      case 'call': {
        const api = onClose(openApi(settings, { egress, clock }), (opened) => opened.close());
        const source = settings.lookup && sourceOf(settings.lookup.database);
        return createCallAction(settings, { api, source, store: results, pace, clock, meter, logger });
      }
    }
  };
  const actions = createActionService(new Map([...config.actions].map(([id, settings]) => [id, actionOf(settings)])));
  const store = createSnapshotStore(pool);
  const builder = createSnapshotBuilder({ store, sources, leaseMs, clock, meter, logger });
  const segments = createSegmentService({ segments: config.segments, sources, store, builder, clock });
  const server = createConnectorsServer({
    segments,
    actions,
    addRoutes: (opened) => mail?.addRoutes(opened),
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
  const sweepResults = createLoop({
    name: 'sweep-results',
    turn: async () => {
      const swept = await results.sweep();
      await pace.sweep();
      if (swept > 0) logger.info({ results: swept }, 'results were deleted after their time');
      return sweepEveryMs;
    },
    afterErrorMs: sweepEveryMs,
    clock,
    logger,
  });
  sweep.start();
  sweepResults.start();
  mail?.start();

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
      await Promise.all([server.close(), sweep.stop(), sweepResults.stop(), mail?.stop()]);
    },
    finishWork: () => builder.stop(),
    close: async () => {
      await server.close();
    },
  };
});

/** Returns a value that exists because the configuration file was checked. Throws if it does not. */
function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the file is not complete');
  return value;
}

function openSource(settings: DatabaseSettings, sockets: GuardedSockets): Source {
  switch (settings.kind) {
    case 'postgres':
      return createPostgresSource(settings, sockets);
    case 'mysql':
      return createMysqlSource(settings, sockets);
    case 'files':
      return createFilesSource(settings);
  }
}

/**
 * Opens a database for actions.
 * @throws if the database is a directory; reading the configuration already refuses such a database for actions
 */
function openTarget(settings: DatabaseSettings, sockets: GuardedSockets): Target {
  switch (settings.kind) {
    case 'postgres':
      return createPostgresTarget(settings, sockets);
    case 'mysql':
      return createMysqlTarget(settings, sockets);
    case 'files':
      throw new Error(`${settings.name} is a directory, which is only read`);
  }
}

/** Returns a function that creates each named value once. */
function lazily<Value>(create: (name: string) => Value): (name: string) => Value {
  const created = new Map<string, Value>();
  return (name) => {
    const known = created.get(name) ?? create(name);
    created.set(name, known);
    return known;
  };
}

if (isEntry(import.meta)) await runProcess(connectorsProcess);

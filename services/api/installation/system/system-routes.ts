import { systemShape, type SystemShape } from '../../../../shared/contracts/access/system.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { packageVersion } from '../../../../shared/runtime/version.ts';
import { keysOnly, type AuthMethods } from '../../access/authenticate.ts';
import { callerOf, isOperatorOfEverything } from '../../access/scopes.ts';
import { apiVariables } from '../../frame/config.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { SystemFacts, SystemFactsReader } from './postgres/system-facts.ts';
import { readConfiguration } from './read-configuration.ts';

export interface SystemRoutesDeps {
  systemFacts: SystemFactsReader;
  own: { environment: NodeJS.ProcessEnv; region: string; startedAt: Date };
  /** Methods of signing in; by default, only keys are accepted. */
  authMethods?: AuthMethods | undefined;
  clock: Clock;
}

export function systemRoutes(
  server: HttpServer,
  { systemFacts, own, authMethods = keysOnly, clock }: SystemRoutesDeps,
): void {
  server.route({
    method: 'GET',
    url: '/system',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getSystem',
      summary: 'Show versions, the database, running processes and the configuration of the API',
      description: 'Secrets are never returned; an operator with access to the whole installation sees their lengths.',
      tags: ['health'],
      response: { 200: jsonAnswer('State of the installation', systemShape) },
    },
    handler: async (request) => {
      const beganMs = clock.monotonicMs();
      const facts = await systemFacts();
      const answerMs = clock.monotonicMs() - beganMs;
      const configuration = isOperatorOfEverything(callerOf(request))
        ? readConfiguration(apiVariables, own.environment)
        : null;
      const view = factsView(facts, { answerMs, now: clock.now() });
      return { ...view, api: apiView(own), access: accessView(authMethods), configuration };
    },
  });
}

function apiView({ region, startedAt }: SystemRoutesDeps['own']): SystemShape['api'] {
  const { tz: zoneData = 'unknown', node } = process.versions;
  return { version: packageVersion, node, zoneData, region, startedAt: startedAt.toISOString() };
}

function accessView(authMethods: AuthMethods): SystemShape['access'] {
  const { mode, issuer } = authMethods;
  return { mode, issuer, isIssuerAnswering: authMethods.isIssuerAnswering() };
}

function factsView(
  { database, partitions, logArchive, nodes, processes, runtimes, clocks, settings }: SystemFacts,
  { answerMs, now }: { answerMs: number; now: Date },
): Omit<SystemShape, 'api' | 'access' | 'configuration'> {
  const { version, bytes, migration, schemaVersion, installedAt } = database;
  return {
    asOf: now.toISOString(),
    database: {
      version,
      bytes,
      migration,
      schemaVersion,
      answerMs: Math.round(answerMs * 10) / 10,
      clockAheadMs: database.now.getTime() - now.getTime(),
      installedAt: installedAt.toISOString(),
    },
    partitions: partitionsView(partitions),
    logArchive: archiveView(logArchive),
    nodes: nodes.map(({ oldestAt, ...node }) => ({ ...node, oldestAt: oldestAt.toISOString() })),
    processes: processes.map(({ oldestAt, ...counted }) => ({ ...counted, oldestAt: oldestAt.toISOString() })),
    runtimes: runtimes.map(({ zoneData, node, processes: running, names }) => ({
      zoneData,
      node,
      names,
      processes: running,
    })),
    clocks: clocksView(clocks),
    settings: settings.map(({ name, service, value }) => ({ name, service, value })),
  };
}

function partitionsView({ runsUntil, jobsUntil, cannot }: SystemFacts['partitions']): SystemShape['partitions'] {
  return { runsUntil: runsUntil.toISOString(), jobsUntil: jobsUntil.toISOString(), cannotMake: cannot };
}

function archiveView({
  state,
  lastArchivedAt,
  waitingBytes,
  lastFailedAt,
  lastFailed,
}: SystemFacts['logArchive']): SystemShape['logArchive'] {
  return {
    state,
    waitingBytes,
    lastFailed,
    lastArchivedAt: lastArchivedAt?.toISOString() ?? null,
    lastFailedAt: lastFailedAt?.toISOString() ?? null,
  };
}

function clocksView({ known, apartMs, offCount, off }: SystemFacts['clocks']): SystemShape['clocks'] {
  return {
    known,
    offCount,
    apartMs: apartMs === null ? null : Math.round(apartMs),
    off: off.map(({ name, service, region, aheadMs, withinMs }) => ({
      name,
      service,
      region,
      aheadMs: Math.round(aheadMs),
      withinMs: Math.ceil(withinMs),
    })),
  };
}

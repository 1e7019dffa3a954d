import type { FastifyRequest } from 'fastify';
import type { GroupReader } from '../../shared/ports/group-reader.ts';
import type { PartCheck } from '../../shared/runtime/process/readiness.ts';
import { createAccessParts } from './access/parts.ts';
import { isKeyGood } from './access/admit-callers.ts';
import { createAuditParts } from './access/audit/parts.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { createEventStreams } from './access/event-streams.ts';
import { createHeavyRequests } from './access/heavy-requests.ts';
import { createOptionParts } from './action-types/options/parts.ts';
import { createPreviewParts } from './action-types/previews/parts.ts';
import { createAudienceParts } from './audiences/parts.ts';
import { createCampaignParts } from './campaigns/parts.ts';
import { createClientParts } from './clients/parts.ts';
import type { ConsolePages } from './console/console-pages.ts';
import { createBaseParts, type BaseContext } from './frame/parts.ts';
import type { ApiConfig } from './frame/config.ts';
import { apiMetrics } from './frame/metrics.ts';
import { createShardParts, createWorkerGroupReader } from './installation/shards/parts.ts';
import { exportShardFigures } from './installation/shards/shard-reader.ts';
import { createJobParts } from './jobs/parts.ts';
import { createCampaignWatch } from './live/watch-campaigns.ts';
import { createReceiptParts } from './receipts/parts.ts';
import { createRunParts } from './runs/parts.ts';
import { createRunWatch } from './runs/watch-run.ts';
import { createScheduleParts } from './schedules/parts.ts';
import { createQuarantineParts } from './quarantine/parts.ts';
import { createRevisionParts } from './revisions/parts.ts';

interface ApiContext extends BaseContext {
  /** Returns the id of the installation; undefined until the first check of the database has succeeded. */
  installationId: () => string | undefined;
  /** Reads the state of the workers' consumer group. The default reads it from the Kafka brokers. */
  group?: GroupReader;
}

/** Creates the parts that hold state, are closed with the process, or are used by several folders of the API. */
export function createApiParts(config: ApiConfig, { installationId, group, ...context }: ApiContext) {
  const base = createBaseParts(config, context);
  const clients = createClientParts(base);
  return {
    ...base,
    ...clients,
    ...createAccessParts(base),
    ...createAuditParts(base),
    ...createOptionParts(base),
    ...createPreviewParts(base),
    ...createAudienceParts(base),
    ...createCampaignParts(base),
    ...createJobParts(base, clients),
    ...createReceiptParts(base),
    ...createRunParts(base),
    ...createScheduleParts(base),
    ...createShardParts(base, group ?? createWorkerGroupReader(base, installationId)),
    ...createQuarantineParts(base),
    ...createRevisionParts(base),
  };
}

export type ApiDeps = ReturnType<typeof createApiParts> & {
  /** Pages of the console. Without them, `/` redirects to the documentation. */
  pages?: ConsolePages | undefined;
  /** Checks the database, and rejects if it is unavailable. */
  ping: PartCheck;
  /**
   * Returns the reason why this process may not use its database, if any. While there is a reason, the API refuses
   * requests.
   */
  databaseProblem?: (() => Error | undefined) | undefined;
};

/** Creates the parts that live as long as one server. */
export function createServerParts(deps: ApiDeps) {
  const refusedKeys = deps.meter.counter(apiMetrics.unauthorized).of({});
  const onRefusedKey = () => refusedKeys.add();
  const authentication = createAuthenticate({ ...deps, onRefused: onRefusedKey });
  exportShardFigures(deps.meter, deps.shardReader);
  return {
    authentication,
    onRefusedKey,
    isKeyGood: (request: FastifyRequest) => isKeyGood(authentication, request),
    watch: createRunWatch(deps),
    campaignWatch: createCampaignWatch(deps),
    streams: createEventStreams(deps),
    heavyRequests: createHeavyRequests(deps),
  };
}

/** Parts that each `routes.ts` receives to register its routes. */
export interface ApiParts extends ApiDeps, ReturnType<typeof createServerParts> {
  /** Returns false from the moment the server begins to stop. */
  isReady: () => boolean;
}

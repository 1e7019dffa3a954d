import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { createSegmentation } from '../../../shared/http-client/segmentation-client.ts';
import { createStoredAudiences } from '../../../shared/postgres/audiences/stored-audiences.ts';
import { readUnservedShards } from '../../../shared/postgres/registry/shard-refusals.ts';
import { readsSentAgain } from '../../../shared/runtime/meter/reads-sent-again.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { askableSegmentation } from '../audiences/ask/askable-segmentation.ts';
import { campaignRoutes } from './campaign-routes.ts';
import { draftRoutes, type DraftRoutesDeps } from './draft-routes.ts';
import { archiveRoutes, type ArchiveRoutesDeps } from './archive-routes.ts';
import { cloneRoutes } from './clone-routes.ts';
import { createCampaignArchive } from './postgres/campaign-archive.ts';
import { revisionRoutes, type RevisionRoutesDeps } from './revision-routes.ts';
import { createCampaignCalendar } from './postgres/campaign-calendar.ts';
import { createCampaignLists } from './postgres/campaign-lists.ts';
import { createCampaignRevisions } from './postgres/campaign-revisions.ts';
import { createCampaignStore } from './postgres/campaign-store.ts';

/** Questions to the segmentation service in flight, of all requests. */
const questionsAtOnce = 64;

/** Campaigns, and what is asked before they are made or started. */
export function campaignsModule({
  pool,
  config,
  environment,
  egress,
  logger,
  meter,
  onClose,
}: Pick<ApiParts, 'pool' | 'config' | 'environment' | 'egress' | 'logger' | 'meter' | 'onClose'>) {
  const connections = { pages: 1, descriptions: questionsAtOnce };
  const onSentAgain = readsSentAgain(meter, 'segmentation');
  return {
    currency: config.currency,
    campaigns: createCampaignStore({ pool, quotas: config.quotas }),
    campaignLists: createCampaignLists({ pool }),
    campaignCalendar: createCampaignCalendar({ pool }),
    campaignArchive: createCampaignArchive({ pool }),
    campaignRevisions: createCampaignRevisions({ pool }),
    storedAudiences: createStoredAudiences({ pool }),
    unservedShards: (shards: readonly Shard[]) => readUnservedShards(pool, shards),
    segmentation: onClose(
      askableSegmentation(
        () => createSegmentation({ config: config.engine, environment, egress, connections, onSentAgain }),
        logger,
      ),
      (opened) => opened.close(),
    ),
  };
}

export type {
  CalendarRun,
  CampaignCalendar,
  CampaignsOfTime,
  PlannedRecurrence,
} from './postgres/campaign-calendar.ts';
export type { CampaignRecord } from './campaign-store.port.ts';
export type {
  CampaignCountsRow,
  CampaignLists,
  CampaignPlace,
  CampaignSearch,
  ListedCampaign,
} from './postgres/campaign-lists.ts';

export function campaignsRoutes(
  server: HttpServer,
  deps: DraftRoutesDeps & ArchiveRoutesDeps & RevisionRoutesDeps,
): void {
  campaignRoutes(server, deps);
  draftRoutes(server, deps);
  archiveRoutes(server, deps);
  cloneRoutes(server, deps);
  revisionRoutes(server, deps);
}

import { ownedKinds, type Owners } from '../../access/owners.port.ts';
import type { FoundShape } from '../../../../shared/contracts/access/finds.ts';
import { holdsAll, seesReach, type Scope } from '../../../../shared/domain/scopes.ts';
import { publicId, uuidOf, type IdKind } from '../../../../shared/domain/ids/ids.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import type { AudienceStore } from '../../audiences/lists/audience-store.port.ts';
import type { CampaignLists, ListedCampaign } from '../../campaigns/parts.ts';
import type { ClientStore } from '../../clients/parts.ts';
import type { QuarantinedMessages, QuarantinedSteps } from '../../quarantine/parts.ts';
import type { RunReports } from '../../runs/run-reports.port.ts';
import type { ScheduleStore } from '../../schedules/schedule-store.port.ts';
import type { ShardReader } from '../../installation/shards/shard-reader.ts';

export interface FindThingsDeps {
  campaignLists: CampaignLists;
  reports: RunReports;
  audiences: Pick<AudienceStore, 'get'>;
  savedAudiences: { get(savedAudienceId: string): Promise<{ definition: { name: string } } | undefined> };
  clientStore: ClientStore;
  schedules: ScheduleStore;
  jobStore: { find(jobId: string): Promise<{ clientId: string; url: string; state: string } | undefined> };
  quarantinedMessages: QuarantinedMessages;
  quarantinedSteps: QuarantinedSteps;
  catalogue: CatalogueReader;
  shardReader: ShardReader;
  owners: Owners;
}

/** Maximum number of results of each kind in a search by name. */
const mostByName = 6;

type Finder = (uuid: string, deps: FindThingsDeps) => Promise<FoundShape[]>;

/**
 * Returns the object with an id, or the campaigns, action types and shards whose names contain the text. Objects
 * outside the scope are excluded.
 */
export async function findThings(text: string, scope: Scope, deps: FindThingsDeps): Promise<FoundShape[]> {
  for (const [kind, find] of finders) {
    const uuid = uuidOf(kind, text);
    if (uuid !== undefined) return (await isInScope(kind, uuid, scope, deps)) ? await find(uuid, deps) : [];
  }
  const { items } = await deps.campaignLists.page({ text, within: scope }, undefined, 'state', mostByName, null);
  return [...items.map(foundCampaign), ...namedIn(deps, text.toLowerCase())];
}

async function isInScope(kind: IdKind, id: string, scope: Scope, { owners }: FindThingsDeps): Promise<boolean> {
  if (kind === 'client') return holdsAll(scope.clients, [id]);
  const owned = ownedKinds.find((each) => each === kind);
  const owner = owned && (await owners.ownerOf(owned, id));
  if (owner?.of === 'client') return holdsAll(scope.clients, [owner.clientId]);
  return owner?.of !== 'campaign' || seesReach(scope, owner);
}

const finders: readonly (readonly [IdKind, Finder])[] = [
  [
    'campaign',
    async (campaignId, { campaignLists }) =>
      (await campaignLists.page({ campaignId }, undefined, 'newest', 1, null)).items.map(foundCampaign),
  ],
  [
    'run',
    async (runId, { reports }) => {
      const run = await reports.snapshot(runId);
      if (!run) return [];
      const campaignId = publicId('campaign', run.campaignId);
      return [
        {
          ...noDetails,
          kind: 'run',
          id: publicId('run', runId),
          title: run.campaignName,
          state: run.state,
          campaignId,
        },
      ];
    },
  ],
  [
    'audience',
    async (audienceId, { audiences }) => {
      const list = await audiences.get(audienceId);
      const id = publicId('audience', audienceId);
      return list ? [{ ...noDetails, kind: 'audience', id, title: list.name, state: list.state }] : [];
    },
  ],
  [
    'savedAudience',
    async (savedAudienceId, { savedAudiences }) => {
      const saved = await savedAudiences.get(savedAudienceId);
      const id = publicId('savedAudience', savedAudienceId);
      return saved ? [{ ...noDetails, kind: 'audience', id, title: saved.definition.name }] : [];
    },
  ],
  [
    'client',
    async (clientId, { clientStore }) => {
      const client = await clientStore.get(clientId);
      const state = client?.endpoints[0].enabled === false ? 'disabled' : null;
      return client
        ? [{ ...noDetails, kind: 'client', id: publicId('client', clientId), title: client.name, state }]
        : [];
    },
  ],
  [
    'schedule',
    async (scheduleId, { schedules }) => {
      const schedule = await schedules.get(scheduleId);
      if (!schedule) return [];
      const { name: title, state } = schedule;
      const campaignId = schedule.campaignId === null ? null : publicId('campaign', schedule.campaignId);
      return [{ ...noDetails, kind: 'schedule', id: publicId('schedule', scheduleId), title, state, campaignId }];
    },
  ],
  [
    'job',
    async (jobId, { jobStore }) => {
      const job = await jobStore.find(jobId);
      return job ? [{ ...noDetails, kind: 'job', id: publicId('job', jobId), title: job.url, state: job.state }] : [];
    },
  ],
  [
    'deadLetter',
    async (messageId, { quarantinedMessages }) => {
      const message = await quarantinedMessages.find(messageId, 0);
      const id = publicId('deadLetter', messageId);
      return message
        ? [{ ...noDetails, kind: 'quarantined-message', id, title: message.topic, state: message.state }]
        : [];
    },
  ],
  [
    'quarantinedStep',
    async (quarantineId, { quarantinedSteps }) => {
      const step = await quarantinedSteps.find(quarantineId, 0);
      if (!step) return [];
      const { actionType, country, state } = step;
      const id = publicId('quarantinedStep', quarantineId);
      const title = `${actionType} in ${country}`;
      return [{ ...noDetails, kind: 'quarantined-step', id, title, state, runId: publicId('run', step.runId) }];
    },
  ],
];

const noDetails = { state: null, campaignId: null, runId: null };

function foundCampaign({ campaign, standing, runId }: ListedCampaign): FoundShape {
  const id = publicId('campaign', campaign.campaignId);
  const run = runId === null ? null : publicId('run', runId);
  return { kind: 'campaign', id, title: campaign.definition.name, state: standing, campaignId: id, runId: run };
}

function namedIn({ catalogue, shardReader }: FindThingsDeps, text: string): FoundShape[] {
  const types = Object.keys(catalogue.registered()).filter((name) => name.toLowerCase().includes(text));
  const shards = shardReader.last().filter(({ id }) => id.toLowerCase().includes(text));
  return [
    ...types
      .slice(0, mostByName)
      .map((name) => ({ ...noDetails, kind: 'action-type' as const, id: name, title: name })),
    ...shards.slice(0, mostByName).map(({ id, breaker }) => {
      return { ...noDetails, kind: 'shard' as const, id, title: id, state: breaker };
    }),
  ];
}

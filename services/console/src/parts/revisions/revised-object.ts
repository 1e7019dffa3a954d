import {
  diffCampaignRevisions,
  diffSavedAudienceRevisions,
  diffTemplateRevisions,
  listCampaignRevisions,
  listSavedAudienceRevisions,
  listTemplateRevisions,
  restoreCampaignRevision,
  restoreSavedAudienceRevision,
  restoreTemplateRevision,
} from '#client/sdk.gen.ts';
import type { ListedRevision, RevisionDiff } from '#client/types.gen.ts';

/** Campaign, template or saved audience whose revisions are shown. */
export interface RevisedObject {
  kind: keyof typeof calls;
  id: string;
  name: string;
  /** Newest revision. */
  revision: number;
  /** Returns the name of the part at a JSON pointer. Default: the parts of a campaign. */
  placeOf?: (pointer: string) => string;
  /** False if the state forbids changes. */
  mayChange?: boolean;
  /** Why this key may not restore; undefined if it may. */
  refusal: string | undefined;
}

interface Calls {
  list: (
    request: { path: { id: string }; query: { limit: number } } & Sent,
  ) => Promise<{ data: { items: ListedRevision[]; next: string | null } }>;
  diff: (
    request: { path: { id: string; revision: number }; query: { to: number } } & Sent,
  ) => Promise<{ data: RevisionDiff }>;
  restore: (request: { path: { id: string; revision: number }; throwOnError: true }) => Promise<unknown>;
  /** Describes what a restore leaves unchanged. */
  leaves: string;
}

interface Sent {
  signal: AbortSignal;
  throwOnError: true;
}

const calls = {
  campaign: {
    list: listCampaignRevisions,
    diff: diffCampaignRevisions,
    restore: restoreCampaignRevision,
    leaves: 'Nothing starts.',
  },
  template: {
    list: listTemplateRevisions,
    diff: diffTemplateRevisions,
    restore: restoreTemplateRevision,
    leaves: 'Campaigns created from it do not change.',
  },
  savedAudience: {
    list: listSavedAudienceRevisions,
    diff: diffSavedAudienceRevisions,
    restore: restoreSavedAudienceRevision,
    leaves: 'Campaigns that use it keep their copies of its sources.',
  },
} satisfies Record<string, Calls>;

export const revisionsPerPage = 50;

export function callsOf({ kind }: RevisedObject): Calls {
  return calls[kind];
}

/** Query for the newest revisions. The key contains the newest one, because a new revision changes the list. */
export function revisionsQuery(revised: RevisedObject) {
  const { kind, id, revision } = revised;
  return {
    queryKey: ['revisions', kind, id, revision],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { data } = await callsOf(revised).list({
        path: { id },
        query: { limit: revisionsPerPage },
        signal,
        throwOnError: true,
      });
      return data;
    },
  };
}

export function differencesQuery(revised: RevisedObject, from: number, to: number) {
  const { kind, id } = revised;
  return {
    queryKey: ['revisionDiff', kind, id, from, to],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { data } = await callsOf(revised).diff({
        path: { id, revision: from },
        query: { to },
        signal,
        throwOnError: true,
      });
      return data;
    },
  };
}

import { z } from 'zod';
import { campaignChoices, campaignOrders, type CampaignOrder } from '../../../shared/domain/run/campaign-standing.ts';
import { campaignCounts, listedCampaign } from '../../../shared/contracts/runs/campaign-lists.ts';
import { tag } from '../../../shared/contracts/campaigns/about-campaign.ts';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import { idPattern, publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { campaignsInScope } from '../access/scopes.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { CampaignLists, CampaignPlace, CampaignSearch } from '../campaigns/parts.ts';
import { idInQuery, invalidCursor } from '../frame/public-ids.ts';
import { campaignCountsView, listedCampaignView } from '../campaigns/campaign-list-view.ts';
import type { RunWatch } from '../runs/watch-run.ts';
import { textShape, unstorable } from '../../../shared/contracts/stored-texts.ts';

export interface CampaignListRoutesDeps {
  campaignLists: CampaignLists;
  watch: RunWatch;
}

const searchFields = {
  q: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe('Part of the name or beginnings of words of the description, case-insensitive; or cmp_…'),
  country: z.string().max(20).optional(),
  action: z.string().max(200).optional().describe('Action type of any step of the chain'),
  tag: tag.optional(),
  owner: textShape(200).optional(),
  metadata: z
    .string()
    .max(265)
    .regex(/^[^=]+=/, 'has to be <key>=<value>')
    .refine(isStorable, unstorable)
    .optional()
    .describe('`<key>=<value>` with the whole value'),
  list: z
    .string()
    .optional()
    .describe('aud_…: campaigns that include or exclude the uploaded list')
    .meta({ pattern: idPattern('audience') }),
  segment: textShape(200).optional().describe('Id of a segment: campaigns that include or exclude it'),
  savedAudience: z
    .string()
    .optional()
    .describe('sav_…: campaigns whose sources were copied from the saved audience')
    .meta({ pattern: idPattern('savedAudience') }),
};

const countQuery = z.strictObject(searchFields);

const listQuery = pageQuery.extend({
  ...searchFields,
  state: z.enum(campaignChoices).optional(),
  sort: z
    .enum(campaignOrders)
    .default('newest')
    .describe(
      'state: needs attention, running, paused, scheduled (by time), ended, draft; within these the newest ' +
        'first. next: scheduled campaigns by time, then the others. name: alphabetically',
    ),
});

const tags = ['campaigns'];

export function campaignListRoutes(server: HttpServer, { campaignLists, watch }: CampaignListRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listCampaigns',
      summary: 'List campaigns, each with its active or newest run',
      tags,
      querystring: listQuery,
      response: { 200: jsonAnswer('A page of campaigns', pageShape(listedCampaign)) },
    },
    handler: async (request) => {
      const { state, sort, limit, cursor, ...search } = request.query;
      const wanted = { ...searchOf(search), within: campaignsInScope(request) };
      const place = placeOf(cursor, sort);
      const { items, next } = await campaignLists.page(wanted, state, sort, limit, place);
      const runs = await watch.lookAll(items.flatMap(({ runId }) => runId ?? []));
      return {
        items: items.map((item) => listedCampaignView(item, runs.get(item.runId ?? ''))),
        next: next && cursorOf(next, sort),
      };
    },
  });

  server.route({
    method: 'GET',
    url: '/campaigns/counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'countCampaigns',
      summary: 'Count the campaigns of a search by state',
      tags,
      querystring: countQuery,
      response: { 200: jsonAnswer('How many', campaignCounts) },
    },
    handler: async (request) => {
      const wanted = { ...searchOf(request.query), within: campaignsInScope(request) };
      return campaignCountsView(await campaignLists.counts(wanted));
    },
  });
}

function searchOf({ q, tag: wantedTag, owner, metadata, list, ...rest }: z.infer<typeof countQuery>): CampaignSearch {
  const about = {
    ...(wantedTag !== undefined && { tags: [wantedTag] }),
    ...(owner !== undefined && { owner }),
    ...(metadata !== undefined && { metadata: pairOf(metadata) }),
  };
  idInQuery('audience', 'list', list);
  idInQuery('savedAudience', 'savedAudience', rest.savedAudience);
  const search = { ...rest, list, ...(Object.keys(about).length > 0 && { about }) };
  if (q === undefined || q === '') return search;
  const campaignId = uuidOf('campaign', q);
  return campaignId === undefined ? { ...search, text: q } : { ...search, campaignId };
}

/** Parses a text such as `ticket=MKT-1204` to `{ ticket: 'MKT-1204' }`. */
function pairOf(text: string): Record<string, string> {
  const equals = text.indexOf('=');
  return Object.fromEntries([[text.slice(0, equals), text.slice(equals + 1)]]);
}

/**
 * Returns the cursor of a campaign: its id if the order depends only on the id, otherwise the other sort keys followed
 * by the id.
 */
function cursorOf({ rank, key, campaignId }: CampaignPlace, sort: CampaignOrder): string {
  const id = publicId('campaign', campaignId);
  return sort === 'newest' ? id : `${rank}-${Buffer.from(key).toString('base64url')}.${id}`;
}

function placeOf(cursor: string | undefined, sort: CampaignOrder): CampaignPlace | null {
  if (cursor === undefined) return null;
  const [, rank, key = '', id = ''] = /^(?:([0-9])-([\w-]*)\.)?(cmp_.*)$/.exec(cursor) ?? [];
  const campaignId = uuidOf('campaign', id);
  const text = Buffer.from(key, 'base64url').toString();
  if (campaignId === undefined || (rank === undefined) !== (sort === 'newest') || !isStorable(text))
    throw invalidCursor(cursor);
  return { rank: Number(rank ?? 0), key: text, campaignId };
}

import { campaignsInScope } from '../../access/scopes.ts';
import { z } from 'zod';
import { aboutFields } from '../../../../shared/contracts/campaigns/about-campaign.ts';
import { audienceStates } from '../../../../shared/contracts/campaigns/audiences.ts';
import {
  namedAudienceCounts,
  namedAudienceList,
  namedKinds,
} from '../../../../shared/contracts/campaigns/named-audiences.ts';
import type { ApiParts } from '../../api-parts.ts';
import { asBoolean, pageQuery, partOfName, yesOrNo } from '../../frame/pages.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { createNamedAudienceDirectory } from './named-audience-directory.ts';
import { createNamedAudienceStore } from './postgres/named-audience-store.ts';
import { textShape } from '../../../../shared/contracts/stored-texts.ts';

const tags = ['audiences'];
const searched = {
  q: partOfName.describe('Part of the name or the owner, or of a segment’s id'),
  owner: aboutFields.owner.describe('Lists and saved audiences of it'),
};

const listQuery = pageQuery.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  ...searched,
  id: textShape(200).optional().describe('The one that campaigns name so'),
  kind: z.enum(namedKinds).optional(),
  state: z.enum(audienceStates).optional().describe('Of a list: the others are not listed then'),
  rejected: yesOrNo.describe('true: lists with rows that are no user; false: lists without'),
  used: yesOrNo.describe(
    'true: those that a campaign, a draft too, or a saved audience uses; false: ready lists and saved audiences that none uses',
  ),
});

/**
 * Registers the list of all sources that campaigns can name (docs/decisions/0101-saved-audiences-counts-and-use.md).
 */
export function routes(server: HttpServer, parts: ApiParts): void {
  const namedAudiences = createNamedAudienceStore(parts);
  const directory = createNamedAudienceDirectory({ ...parts, namedAudiences });
  server.route({
    method: 'GET',
    url: '/named-audiences',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listNamedAudiences',
      summary: 'List all that campaigns can name: uploaded lists, segments and saved audiences, the most used first',
      description:
        'Campaigns and saved audiences that name it count alike. Of those that are used alike, the newest first; behind them, segments that ' +
        'the segmentation service offers and nothing names, in its order. One whose use changes while somebody pages may come twice, or not at all.',
      tags,
      querystring: listQuery,
      response: { 200: jsonAnswer('A page of them', namedAudienceList) },
    },
    handler: (request) => {
      const { q, owner, id, kind, state, rejected, used, limit, cursor } = request.query;
      const flags = { hasRejects: asBoolean(rejected), isUsed: asBoolean(used) };
      const search = { text: q, owner, id, kind, state, ...flags, within: campaignsInScope(request) };
      return directory.list(search, limit, cursor);
    },
  });

  server.route({
    method: 'GET',
    url: '/named-audiences/counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'countNamedAudiences',
      summary: 'How many of each kind there are, and how many with something to look at',
      tags,
      querystring: z.strictObject(searched),
      response: { 200: jsonAnswer('How many', namedAudienceCounts) },
    },
    handler: (request) => {
      const { q, owner } = request.query;
      return directory.counts({ text: q, owner, within: campaignsInScope(request) });
    },
  });
}

import { z } from 'zod';
import { createShardStore } from '../../../../shared/postgres/registry/registry.ts';
import type { ApiParts } from '../../api-parts.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { shard, shardPatch, type ShardShape } from './shards.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { invalidRequest, notFound } from '../../frame/http-problem.ts';

const byId = z.object({ shard: z.string().describe('<action type>.<country>') });
const tag = 'shards';

export const tags = [
  { name: tag, description: 'Shards: an action type in a country, with one topic, its partitions and workers' },
];

export function routes(server: HttpServer, { pool, shardReader }: ApiParts): void {
  const shards = createShardStore({ pool });
  async function require(id: string, isChanged = false): Promise<ShardShape> {
    const found = (await shardReader.read(isChanged)).find((each) => each.id === id);
    if (!found) throw notFound('shard', id);
    return found;
  }

  server.route({
    method: 'GET',
    url: '/shards',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listShards',
      summary: 'List shards with topics, partitions, workers and lag',
      description: 'Figures are about a second old. A shard is created with the first campaign that needs it.',
      tags: [tag],
      response: { 200: jsonAnswer('All shards, by id', pageShape(shard)) },
    },
    handler: async () => ({ items: [...(await shardReader.read())], next: null }),
  });

  server.route({
    method: 'GET',
    url: '/shards/:shard',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getShard',
      summary: 'Show a shard',
      tags: [tag],
      params: byId,
      response: { 200: jsonAnswer('The shard', shard) },
    },
    handler: ({ params }) => require(params.shard),
  });

  server.route({
    method: 'PATCH',
    url: '/shards/:shard',
    config: {
      role: 'operator',
      scope: 'installation',
      audit: 'raised the partitions of a shard',
      refusals: { 'only-raised': 'the number of partitions would decrease' },
    },
    schema: {
      operationId: 'changeShard',
      summary: 'Raise the partitions of a shard',
      description:
        'The number of partitions is the maximum number of workers. It can be raised under load; Kafka follows within seconds (`partitions.actual`). The same number ' +
        'again changes nothing.',
      tags: [tag],
      params: byId,
      body: shardPatch,
      response: { 200: jsonAnswer('The shard', shard) },
    },
    handler: async ({ params, body }) => {
      const { actionType, country, partitions } = await require(params.shard);
      const least = Math.max(partitions.wanted, partitions.actual ?? 0);
      if (body.partitions < least) {
        const detail = `can only be raised: has to be at least ${least}, not ${body.partitions}`;
        throw invalidRequest([{ pointer: '/partitions', code: 'only-raised', detail }]);
      }
      await shards.raise({ actionType, country }, body.partitions);
      return await require(params.shard, true);
    },
  });
}

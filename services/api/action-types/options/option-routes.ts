import { z } from 'zod';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { partOfName } from '../../frame/pages.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { ActionTypeChanger } from '../change-action-type.ts';
import { createOptionDirectory, type OptionDirectoryDeps } from './option-directory.ts';
import { optionList } from './option-list.contract.ts';
import { textShape } from '../../../../shared/contracts/stored-texts.ts';

export interface OptionRoutesDeps extends OptionDirectoryDeps {
  changer: Pick<ActionTypeChanger, 'require'>;
}

const listQuery = z.strictObject({
  parameter: textShape(500, 1).describe('Name, or JSON pointer within the parameters, such as `/offer/id`'),
  q: partOfName.describe('Part of the value or of its label'),
  country: z
    .string()
    .regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG')
    .optional()
    .describe('Only values that may be used in this country'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export function optionRoutes(server: HttpServer, { changer, ...deps }: OptionRoutesDeps): void {
  const directory = createOptionDirectory(deps);
  server.route({
    method: 'GET',
    url: '/action-types/:name/options',
    config: {
      role: 'viewer',
      scope: 'none',
      refusals: { 'unknown-parameter': 'the action type takes no text or number at `parameter`' },
    },
    schema: {
      operationId: 'listParameterOptions',
      summary: 'List values for a parameter of an action type',
      description:
        'The values come from the source that the schema names (`x-options`). If it names none, or the ' +
        'source fails, `from` is `earlier-campaigns`: the values are those of the newest campaigns. ' +
        'Campaigns may use other values too.',
      tags: ['action types'],
      params: z.object({ name: z.string() }),
      querystring: listQuery,
      response: { 200: jsonAnswer('The first values, in the order of their source', optionList) },
    },
    handler: async ({ params: { name }, query: { q, ...search } }) =>
      directory.list({ ...search, text: q, type: await changer.require(name) }),
  });
}

import { listSegments } from '../../sdk/generated/sdk.gen.ts';
import type { Segment } from '../../sdk/generated/types.gen.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { pages, text } from '../frame/options.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';

const list = command({
  name: 'list',
  description: 'segments that audiences can name: of the segmentation service, else of earlier campaigns',
  options: {
    q: text('--search <text>', 'part of the name or the id'),
    country: text('--country <code>', 'those with users there'),
    ...pages(50, 200),
  },
  ask: ({ client, options: query }) => listSegments({ client, query }),
  render: tableOf<Segment>('', [
    left('id', ({ id }) => id),
    cut('name', ({ id, name }) => (name === id ? '' : name)),
    cut('countries', ({ countries }) => countries?.join(' ') ?? ''),
    right('estimate', ({ estimate }) => estimate ?? 'not known'),
    right('campaigns', ({ usedBy }) => usedBy),
    right('saved in', ({ usedBySaved }) => usedBySaved),
    cut('description', ({ description }) => description ?? ''),
  ]),
  hint: ({ from, unavailable }) => {
    if (unavailable !== null) return `these are of earlier campaigns: ${unavailable}`;
    return from === 'segmentation' ? [] : 'these are of earlier campaigns: the segmentation service offers no list';
  },
});

export const heading: Heading = 'Audiences';

export const commands = group('segments', 'segments that audiences can name, over the API', [list]);

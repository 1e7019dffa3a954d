import { countJobs } from '../../sdk/generated/sdk.gen.ts';
import type { JobCounts } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { left, renderItems, right } from '../show/tables.ts';

export const counts = command({
  name: 'counts',
  description: 'count the jobs of each client by state, most stored jobs first',
  ask: ({ client }) => countJobs({ client }),
  render: renderCounts,
});

type Line = Omit<JobCounts['clients'][number], 'clientId'> & { who: string };

function renderCounts({ clients, asOf: _, ...all }: JobCounts, view: View): string {
  const lines: Line[] = [
    ...clients.map(({ clientId, ...each }) => ({ who: clientId, ...each })),
    { who: 'all', ...all },
  ];
  const number = (name: Exclude<keyof Line, 'who'>) => right<Line>(name, (line) => line[name]);
  return renderItems(
    lines,
    [
      left('client', ({ who }) => who),
      ...[number('accepted'), number('called'), number('expired'), number('cancelled'), number('dead')],
      number('stored'),
    ],
    view,
  );
}

import { InvalidArgumentError, type Command } from 'commander';
import type { Session } from '../frame/session.ts';

export function registerShards(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program
    .command('shards')
    .description('who does what: an action type in a country is a shard, with its topic, partitions and workers')
    .action(() =>
      session.run(json(), async (context) => {
        const { listShards } = await import('./commands.ts');
        return listShards(context);
      }),
    );

  group
    .command('show <action-type> <country>')
    .description('one of them, with who has which partition')
    .action((actionType: string, country: string) =>
      session.run(json(), async (context) => {
        const { showShard } = await import('./commands.ts');
        return showShard({ actionType, country }, context);
      }),
    );

  group
    .command('set <action-type> <country>')
    .description('raise the partitions of its topic, under load too: at most so many workers share it')
    .requiredOption('--partitions <n>', 'how many', wholeNumber)
    .action((actionType: string, country: string, { partitions }: { partitions: number }) =>
      session.run(json(), async (context) => {
        const { raisePartitions } = await import('./commands.ts');
        return raisePartitions({ actionType, country }, partitions, context);
      }),
    );
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('has to be a whole number, 1 or more');
  return value;
}

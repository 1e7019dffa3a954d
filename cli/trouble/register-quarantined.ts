import type { Command } from 'commander';
import type { QuarantineQuery } from './quarantine-commands.ts';
import type { Session } from '../frame/session.ts';
import { wholeNumber } from '../frame/options.ts';

export function registerQuarantinedSteps(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program
    .command('quarantined')
    .description('steps whose calls ended their workers again and again, over the API');

  group
    .command('list')
    .description('the newest first')
    .option('--run <run|campaign>', 'only of this run')
    .option('--state <state>', 'kept, replayed or discarded')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action((options: QuarantineQuery) =>
      session.run(json(), async (context) => {
        const { listQuarantined } = await import('./quarantine-commands.ts');
        return listQuarantined(options, context);
      }),
    );

  group
    .command('show <step>')
    .description('which batch, which users, and what happened to its calls')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showQuarantined } = await import('./quarantine-commands.ts');
        return showQuarantined(id, context);
      }),
    );

  const add = (verb: 'replay' | 'discard', description: string) =>
    group
      .command(`${verb} <step>`)
      .description(description)
      .action((id: string) =>
        session.run(json(), async (context) => {
          const { decideQuarantined } = await import('./quarantine-commands.ts');
          return decideQuarantined(verb, id, context);
        }),
      );
  add('replay', 'open it again: it is called with the same key, while its run goes on');
  add('discard', 'leave it as it ended: its users stay unknown');
}

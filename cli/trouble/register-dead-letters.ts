import type { Command } from 'commander';
import type { LetterQuery, LetterSelection } from './dead-letter-commands.ts';
import type { Session } from '../frame/session.ts';
import { wholeNumber } from '../frame/options.ts';

export function registerDeadLetters(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('dead-letters').description('messages that no worker could understand, over the API');

  group
    .command('list')
    .description('by topic and reason; one by one with --letters')
    .option('--letters', 'one by one, the newest first')
    .option('--topic <topic>', 'only of this topic')
    .option('--reason <reason>', 'only for this reason, as it is listed')
    .option('--state <state>', 'kept, replaying, replayed or discarded')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action((options: LetterQuery) =>
      session.run(json(), async (context) => {
        const { listDeadLetters } = await import('./dead-letter-commands.ts');
        return listDeadLetters(options, context);
      }),
    );

  group
    .command('show <letter>')
    .description('one letter with its bytes')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showDeadLetter } = await import('./dead-letter-commands.ts');
        return showDeadLetter(id, context);
      }),
    );

  const add = (verb: 'replay' | 'discard', description: string) =>
    group
      .command(`${verb} [letter]`)
      .description(description)
      .option('--topic <topic>', 'all of this topic')
      .option('--reason <reason>', 'all for this reason')
      .option('--all', 'all about which nobody has decided')
      .action((id: string | undefined, options: LetterSelection) =>
        session.run(json(), async (context) => {
          const { settleDeadLetters } = await import('./dead-letter-commands.ts');
          return settleDeadLetters(verb, id, options, context);
        }),
      );
  add('replay', 'publish one, or all that fit, again as they were');
  add('discard', 'give one, or all that fit, up');
}

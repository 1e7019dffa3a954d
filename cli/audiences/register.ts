import { InvalidArgumentError, type Command } from 'commander';
import type { UploadOptions } from './commands.ts';
import type { Session } from '../frame/session.ts';

// What a command does is loaded when it is called: `muster --help` has to be quick.

export function registerAudience(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('audience').description('uploaded lists of users, which campaigns can name');

  group
    .command('upload <file>')
    .description('upload a list: CSV, an id a line or userId,country; .gz is sent as it is, - reads standard input')
    .requiredOption('--name <name>', 'what people know it by')
    .option('--country <code>', 'of all its users; otherwise the file has a column country')
    .option('--gzip', 'the file is packed with gzip, also where its name does not say so')
    .action((file: string, options: UploadOptions) =>
      session.run(json(), async (context) => {
        const { uploadAudience } = await import('./commands.ts');
        return uploadAudience(file, options, context);
      }),
    );

  group
    .command('list')
    .description('uploaded lists, newest first')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action((options: { limit: number; cursor?: string }) =>
      session.run(json(), async (context) => {
        const { listAudiences } = await import('./commands.ts');
        return listAudiences(options, context);
      }),
    );

  group
    .command('show <list>')
    .description('one list: users by country, and what was left out of it')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showAudience } = await import('./commands.ts');
        return showAudience(id, context);
      }),
    );

  group
    .command('rejects <list>')
    .description('rows that are no user, with line and rule')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 100)
    .action((id: string, options: { limit: number }) =>
      session.run(json(), async (context) => {
        const { listRejects } = await import('./commands.ts');
        return listRejects(id, options, context);
      }),
    );

  group
    .command('delete <list>')
    .description('delete a list for good; asks first where a person can answer')
    .option('-y, --yes', 'do not ask')
    .action((id: string, options: { yes?: true }) =>
      session.run(json(), async (context) => {
        const { deleteAudience } = await import('./commands.ts');
        return deleteAudience(id, options, context);
      }),
    );
}

function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It has to be a whole number from 1.');
  return Number(value);
}

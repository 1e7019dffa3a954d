import type { Command } from 'commander';
import type { WrittenOptions } from '../action-types/read-fields.ts';
import type { Session } from '../frame/session.ts';
import { wholeNumber } from '../frame/options.ts';

const which = 'its name or its id';

export function registerClients(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('clients').description('who schedules callbacks, and by which rules; over the API');

  group
    .command('list')
    .description('all of them, oldest first')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action((options: { limit: number; cursor?: string }) =>
      session.run(json(), async (context) => {
        const { listClients } = await import('./commands.ts');
        return listClients(options, context);
      }),
    );

  group
    .command('show <client>')
    .description(`one of them: ${which}`)
    .action((client: string) =>
      session.run(json(), async (context) => {
        const { showClient } = await import('./commands.ts');
        return showClient(client, context);
      }),
    );

  group
    .command('create <name> [field=value...]')
    .description('make one: concurrency=20 publishRatePerSecond=100, or from a file')
    .option('-f, --file <path>', 'its fields as JSON; - reads standard input')
    .action((name: string, fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { createClient } = await import('./commands.ts');
        return createClient(name, fields, options, context);
      }),
    );

  group
    .command('set <client> [field=value...]')
    .description('change fields of one; null takes a field back to what it is for a new one')
    .option('-f, --file <path>', 'the fields as JSON; - reads standard input')
    .action((client: string, fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { setClient } = await import('./commands.ts');
        return setClient(client, fields, options, context);
      }),
    );

  group
    .command('disable <client>')
    .description('accept and call nothing for it; what is stored waits')
    .option('--reason <text>', 'shown to whoever tries')
    .action((client: string, options: { reason?: string }) =>
      session.run(json(), async (context) => {
        const { disableClient } = await import('./commands.ts');
        return disableClient(client, options, context);
      }),
    );

  group
    .command('enable <client>')
    .description('let it go on')
    .action((client: string) =>
      session.run(json(), async (context) => {
        const { enableClient } = await import('./commands.ts');
        return enableClient(client, context);
      }),
    );

  registerKeys(group, session, json);
  registerFigures(group, session, json);
}

function registerKeys(group: Command, session: Session, json: () => boolean): void {
  group
    .command('add-key <client>')
    .description('make a key to sign its calls with, and print the secret once; older keys sign too until they expire')
    .option('--others-expire-in <seconds>', 'a day unless given', wholeNumber)
    .option('--secret-file <path>', 'take the secret from there instead; - reads standard input')
    .action((client: string, options: { othersExpireIn?: number; secretFile?: string }) =>
      session.run(json(), async (context) => {
        const { addClientKey } = await import('./commands.ts');
        return addClientKey(client, options, context);
      }),
    );

  group
    .command('remove-key <client> <key>')
    .description('end a key at once, because others know it')
    .action((client: string, key: string) =>
      session.run(json(), async (context) => {
        const { removeClientKey } = await import('./commands.ts');
        return removeClientKey(client, key, context);
      }),
    );
}

function registerFigures(group: Command, session: Session, json: () => boolean): void {
  group
    .command('ledger <client>')
    .description('what became of all jobs that were accepted for it, and whether that adds up')
    .action((client: string) =>
      session.run(json(), async (context) => {
        const { showLedger } = await import('./commands.ts');
        return showLedger(client, context);
      }),
    );

  group
    .command('forecast <client>')
    .description('calls per second in the next hours, by what is stored')
    .option('--hours <n>', 'up to 72', wholeNumber, 6)
    .action((client: string, options: { hours: number }) =>
      session.run(json(), async (context) => {
        const { showForecast } = await import('./commands.ts');
        return showForecast(client, options, context);
      }),
    );
}

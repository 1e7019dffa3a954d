import { Argument, type Command } from 'commander';
import { secretNames } from '../../shared/ports/registry.ts';
import type { SetOptions } from './commands.ts';
import type { WrittenOptions } from './read-fields.ts';
import type { SecretSource } from './read-secret.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { Session } from '../frame/session.ts';

export function registerActionTypes(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program
    .command('action-types')
    .description('what a chain may be made of, and how it is called; over the API');

  group
    .command('list')
    .description('all of them, by name')
    .action(() =>
      session.run(json(), async (context) => {
        const { listActionTypes } = await import('./commands.ts');
        return listActionTypes(context);
      }),
    );

  group
    .command('show <name>')
    .description('how one is called')
    .action((name: string) =>
      session.run(json(), async (context) => {
        const { showActionType } = await import('./commands.ts');
        return showActionType(name, context);
      }),
    );

  group
    .command('create <name> [field=value...]')
    .description('register one: url=https://… class=A timeoutMs=2000, or from a file; campaigns may use it at once')
    .option('-f, --file <path>', 'its fields as JSON; - reads standard input')
    .action((name: string, fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { createActionType } = await import('./commands.ts');
        return createActionType(name, fields, options, context);
      }),
    );

  group
    .command('set <name> [field=value...]')
    .description('change fields of one; null takes a field back to what it is unless somebody says otherwise')
    .option('-f, --file <path>', 'the fields as JSON; - reads standard input')
    .option('--authorization-file <path>', 'with another url: the Authorization header for it; - reads standard input')
    .option('--signing-file <path>', 'the secret that calls are signed with; - reads standard input')
    .action((name: string, fields: string[], options: SetOptions) =>
      session.run(json(), async (context) => {
        const { setActionType } = await import('./commands.ts');
        return setActionType(name, fields, options, context);
      }),
    );

  registerSecrets(group, json, session);

  for (const verb of ['disable', 'enable'] as const) {
    group
      .command(`${verb} <name>`)
      .description(
        verb === 'disable' ? 'let no campaign begin with it; what runs goes on' : 'let campaigns begin with it again',
      )
      .action((name: string) =>
        session.run(json(), async (context) => {
          const { enableActionType } = await import('./commands.ts');
          return enableActionType(name, verb === 'enable', context);
        }),
      );
  }

  group
    .command('delete <name>')
    .description('forget one that no campaign has in its chain')
    .action((name: string) =>
      session.run(json(), async (context) => {
        const { deleteActionType } = await import('./commands.ts');
        return deleteActionType(name, context);
      }),
    );
}

function registerSecrets(group: Command, json: () => boolean, session: Session): void {
  const secret = () =>
    new Argument(
      '<secret>',
      'authorization: the whole header of calls; signing: what calls are signed with; receipts: what receipts are',
    ).choices(secretNames);

  group
    .command('set-secret')
    .argument('<name>')
    .addArgument(secret())
    .description('keep a secret for one, encrypted; it is never shown again')
    .option('--from-file <path>', 'the file that holds it; - reads standard input')
    .option('--from-stdin', 'read it from standard input')
    // Else the message would repeat what was given by mistake.
    .allowExcessArguments()
    .action((name: string, which: string, source: SecretSource, { args }: Command) =>
      session.run(json(), async (context) => {
        if (args.length > 2)
          throw new UsageError('a secret is no argument, others can see those: --from-file or --from-stdin');
        const { setSecret } = await import('./secrets.ts');
        return setSecret(name, which, source, context);
      }),
    );

  group
    .command('remove-secret')
    .argument('<name>')
    .addArgument(secret())
    .description('take a secret of one away: calls go without it')
    .action((name: string, which: string) =>
      session.run(json(), async (context) => {
        const { removeSecret } = await import('./secrets.ts');
        return removeSecret(name, which, context);
      }),
    );
}

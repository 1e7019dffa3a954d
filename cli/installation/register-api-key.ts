import { Option, type Command } from 'commander';
import { roles, type Role } from '../../shared/domain/roles.ts';
import type { Session } from '../frame/session.ts';

export function registerApiKey(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('api-key').description('keys to the API, straight on the database');

  group
    .command('create <name>')
    .description('make a key; it is printed once and never again')
    .addOption(
      new Option('--role <role>', 'viewer: looks; manager: campaigns and their runs; operator: everything')
        .choices(roles)
        .default('operator'),
    )
    .action((name: string, { role }: { role: Role }) =>
      session.run(json(), async (context) => {
        const { createKey } = await import('./api-keys.ts');
        return createKey(name, role, context);
      }),
    );

  group
    .command('list')
    .description('keys by name, without their secrets')
    .action(() =>
      session.run(json(), async (context) => {
        const { listKeys } = await import('./api-keys.ts');
        return listKeys(context);
      }),
    );

  group
    .command('revoke <key>')
    .description('refuse a key from now on')
    .action((key: string) =>
      session.run(json(), async (context) => {
        const { revokeKey } = await import('./api-keys.ts');
        return revokeKey(key, context);
      }),
    );
}

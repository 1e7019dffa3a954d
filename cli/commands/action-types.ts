import type { Command } from 'commander';
import type { WrittenOptions } from '../action-types/read-fields.ts';
import type { Session } from '../session.ts';

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
        const { listActionTypes } = await import('../action-types/commands.ts');
        return listActionTypes(context);
      }),
    );

  group
    .command('show <name>')
    .description('how one is called')
    .action((name: string) =>
      session.run(json(), async (context) => {
        const { showActionType } = await import('../action-types/commands.ts');
        return showActionType(name, context);
      }),
    );

  group
    .command('create <name> [field=value...]')
    .description('register one: url=https://… class=A timeoutMs=2000, or from a file; campaigns may use it at once')
    .option('-f, --file <path>', 'its fields as JSON; - reads standard input')
    .action((name: string, fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { createActionType } = await import('../action-types/commands.ts');
        return createActionType(name, fields, options, context);
      }),
    );

  group
    .command('set <name> [field=value...]')
    .description('change fields of one; null takes a field back to what it is unless somebody says otherwise')
    .option('-f, --file <path>', 'the fields as JSON; - reads standard input')
    .action((name: string, fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { setActionType } = await import('../action-types/commands.ts');
        return setActionType(name, fields, options, context);
      }),
    );

  for (const verb of ['disable', 'enable'] as const) {
    group
      .command(`${verb} <name>`)
      .description(
        verb === 'disable' ? 'let no campaign begin with it; what runs goes on' : 'let campaigns begin with it again',
      )
      .action((name: string) =>
        session.run(json(), async (context) => {
          const { enableActionType } = await import('../action-types/commands.ts');
          return enableActionType(name, verb === 'enable', context);
        }),
      );
  }

  group
    .command('delete <name>')
    .description('forget one that no campaign has in its chain')
    .action((name: string) =>
      session.run(json(), async (context) => {
        const { deleteActionType } = await import('../action-types/commands.ts');
        return deleteActionType(name, context);
      }),
    );
}

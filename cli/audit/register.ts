import type { Command } from 'commander';
import type { AuditQuery } from '../api/api-client.ts';
import type { Session } from '../frame/session.ts';
import { wholeNumber } from '../frame/options.ts';

export function registerAudit(program: Command, session: Session): void {
  program
    .command('audit')
    .description('who changed what through the API, the newest first')
    .option('--subject <id>', 'only changes of this: run_…, cmp_…, a name')
    .option('--key-id <key>', 'only changes by this key: key_…')
    .option('--method <method>', 'POST, PUT, PATCH or DELETE')
    .option('--route <route>', 'such as /v1/runs/:id/pause')
    .option('--since <time>', 'RFC 3339; this moment included')
    .option('--until <time>', 'RFC 3339; this moment excluded')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action((options: AuditQuery) =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { listChanges } = await import('./commands.ts');
        return listChanges(options, context);
      }),
    );
}

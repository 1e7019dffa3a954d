import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, usually } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'grants',
  description: 'print SQL for the roles of the database: owner, engine, api and reader, each with what it needs',
  options: {
    prefix: usually('--prefix <name>', 'what the names of the roles begin with', { usual: 'muster' }),
    apply: flag(
      '--apply',
      'make the roles in DATABASE_URL, as a superuser, with the passwords of MUSTER_<ROLE>_PASSWORD',
    ),
    kafka: flag('--kafka', 'print the ACLs of Kafka instead, as commands of kafka-acls.sh'),
    regions: usually('--regions <names>', 'with --kafka: each MUSTER_REGION, separated by commas', { usual: 'local' }),
  },
  run: async ({ options: { prefix, apply = false, kafka = false, regions }, context }) => {
    if (apply) return (await import('./apply-grants.ts')).applyGrants(prefix, context);
    return kafka
      ? (await import('./print-grants.ts')).printAcls({ prefix, regions }, context)
      : (await import('./print-grants.ts')).printGrants(prefix, context);
  },
});

import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, usually } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'grants',
  description: 'print the SQL of the database roles owner, engine, api and reader, each with the rights that it needs',
  options: {
    prefix: usually('--prefix <name>', "prefix of the roles' names", { usual: 'muster' }),
    apply: flag(
      '--apply',
      'create the roles in DATABASE_URL, as a superuser, with the passwords in MUSTER_<ROLE>_PASSWORD',
    ),
    kafka: flag('--kafka', "print Kafka's ACLs instead, as commands of kafka-acls.sh"),
    regions: usually('--regions <names>', 'with --kafka: each MUSTER_REGION, separated by commas', { usual: 'local' }),
  },
  run: async ({ options: { prefix, apply = false, kafka = false, regions }, context }) => {
    if (apply) return (await import('./rights/apply-grants.ts')).applyGrants(prefix, context);
    return kafka
      ? (await import('./rights/print-grants.ts')).printAcls({ prefix, regions }, context)
      : (await import('./rights/print-grants.ts')).printGrants(prefix, context);
  },
});

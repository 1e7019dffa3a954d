import { roles } from '../../shared/domain/roles.ts';
import { byHand, group } from '../frame/command-table.ts';
import { flag, text, usually } from '../frame/options.ts';
import { servable } from './servable.ts';

// What a command does is loaded when it is called: what prepares an installation needs neither the API nor its client.

export const serve = byHand({
  name: 'serve',
  args: [{ name: '<service>', said: '', among: servable }],
  said: 'run a service until SIGTERM; all: api, scheduler, trigger, worker and dispatcher in one process',
  options: { sandbox: flag('--sandbox', 'with all: the services of deploy/examples/engine.json too, to try it out') },
  run: async ({ args: [service], options: { sandbox = false }, context }) =>
    (await import('./serve.ts')).serve(service, { sandbox }, context),
});

const migrate = byHand({
  name: 'migrate',
  said: 'bring the database to the newest schema',
  options: { roles: text('--roles <prefix>', 'give the roles of muster grants what they need of it') },
  run: async ({ options: { roles }, context }) => (await import('./migrate.ts')).migrateDatabase(roles, context),
});

const topics = byHand({
  name: 'topics',
  said: 'create the topics of the configuration and of the calls of a region, and add partitions where there are fewer',
  run: async ({ context }) => (await import('./topics.ts')).ensureTopics(context),
});

const config = group('config', "the configuration, and the called services as the installation's database has them", [
  byHand({
    name: 'check',
    args: ['[service...]'],
    said: 'read the configuration as the services would, and say all that is wrong with it at once',
    run: async ({ args: [services], context }) => (await import('./doctor.ts')).runConfigCheck(services, context),
  }),
  byHand({
    name: 'apply',
    said: 'make what MUSTER_CONFIG says of the called services the installation’s own',
    run: async ({ context }) => (await import('./config.ts')).applyEngineConfig(context),
  }),
  byHand({
    name: 'show',
    said: 'the installation’s id, and which services it calls',
    run: async ({ context }) => (await import('./config.ts')).showInstallation(context),
  }),
]);

const firstKey = byHand({
  name: 'first-key',
  args: ['<name>'],
  said: 'make a key to the API straight on the database, and print it once; from it, muster api-keys makes others',
  options: {
    role: usually('--role <role>', 'what it may do, for everything', {
      among: roles,
      usual: 'operator',
    }),
  },
  run: async ({ args: [name], options: { role }, context }) =>
    (await import('./first-key.ts')).createFirstKey(name, role, context),
});

const init = byHand({
  name: 'init',
  args: ['[folder]'],
  said: 'write the configuration and the secrets of an installation of one’s own: .env and engine.json',
  options: {
    databaseUrl: text('--database-url <url>', 'of a database that is there; that of compose unless given'),
    kafkaBrokers: usually('--kafka-brokers <list>', 'of a Kafka that is there', { usual: '127.0.0.1:9092' }),
  },
  run: async ({ args: [folder = '.'], options: { databaseUrl, kafkaBrokers }, context }) =>
    (await import('./init.ts')).initInstallation(folder, { databaseUrl, kafkaBrokers }, context),
});

const grants = byHand({
  name: 'grants',
  said: 'print SQL for the roles of the database: owner, engine, api and reader, each with what it needs',
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

const restored = byHand({
  name: 'restored',
  said: 'after the database was brought back to an earlier moment: pause what may have been served since, and list it',
  run: async ({ context }) => (await import('./restored.ts')).settleRestoredDatabase(context),
});

const doctor = byHand({
  name: 'doctor',
  said: 'what is here, what is missing, and how to get it',
  run: async ({ context }) => (await import('./doctor.ts')).runDoctor(context),
});

export const commands = [serve, migrate, topics, config, firstKey, init, grants, restored, doctor];

import { roles } from '../../shared/domain/roles.ts';
import { byHand, group } from '../frame/command-table.ts';
import { flag, usually } from '../frame/options.ts';
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
  run: async ({ context }) => (await import('./migrate.ts')).migrateDatabase(context),
});

const topics = byHand({
  name: 'topics',
  said: 'create the topics that the configuration asks for, and add partitions where there are fewer',
  run: async ({ context }) => (await import('./topics.ts')).ensureTopics(context),
});

const config = group('config', "the called services, as the installation's database has them", [
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
    role: usually('--role <role>', 'viewer, scheduler, manager or operator, for everything', {
      among: roles,
      usual: 'operator',
    }),
  },
  run: async ({ args: [name], options: { role }, context }) =>
    (await import('./first-key.ts')).createFirstKey(name, role, context),
});

const doctor = byHand({
  name: 'doctor',
  said: 'what is here, what is missing, and how to get it',
  run: async ({ context }) => (await import('./doctor.ts')).runDoctor(context),
});

export const commands = [serve, migrate, topics, config, firstKey, doctor];

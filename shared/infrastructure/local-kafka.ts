import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePorts } from './free-ports.ts';
import { definedOnly, type GuardedProcess, type Guardian } from './guarded-processes.ts';
import { findJava } from './java.ts';
import { fetchKafka, kafkaVersion } from './kafka-artifacts.ts';
import { clusterSettings } from './server-settings.ts';
import type { LocalServer } from './local-server.ts';
import { readLog, waitUntilReady, failureLineOf } from './server-log.ts';

/** A slow machine needs minutes. A server that ends is detected at once. */
const startDeadlineMs = 10 * 60_000;
const startedLine = 'Kafka Server started';

/**
 * Uses only the JVM's quick compiler. The optimizing compiler is still busy after a minute, with more CPU than the
 * broker's own work takes at a few hundred records a second. Demos, tests and benchmarks here end before it pays off.
 */
const quickToWarmUp = '-XX:TieredStopAtLevel=1';

export interface LocalKafkaOptions {
  /** Number of brokers, each a controller too. With three, internal topics have three copies; one may be lost. */
  nodes: 1 | 3;
  /**
   * Additional listener of the broker, besides the plain one. Allowed for one node only, because all nodes share a
   * machine.
   */
  listener?: KafkaListener;
}

export interface KafkaListener {
  /** Name as in `listener.name.<name in lower case>.…`. */
  name: string;
  protocol: 'PLAINTEXT' | 'SSL' | 'SASL_SSL' | 'SASL_PLAINTEXT';
  port: number;
  /** Port announced to clients, if a proxy stands in front of the broker's own. */
  advertisedPort?: number;
  properties: Readonly<Record<string, string>>;
  /** Arguments for formatting the brokers' folders, such as users with their passwords. */
  formatArguments?: readonly string[];
}

export interface LocalKafkaDeps {
  folder: string;
  environment: NodeJS.ProcessEnv;
  guardian: Guardian;
  report: (line: string) => void;
}

interface Node {
  id: number;
  brokerPort: number;
  controllerPort: number;
  folder: string;
}

export interface LocalBroker extends LocalServer {
  /** Deletes the broker's data, as if a new machine replaced it. The broker must not be running. */
  emptyDisk(): Promise<void>;
}

/** Starts Apache Kafka in KRaft mode on 127.0.0.1. Resolves when every broker accepts requests. */
export async function startLocalKafka(
  options: LocalKafkaOptions,
  deps: LocalKafkaDeps,
): Promise<{ brokers: string[]; nodes: LocalBroker[] }> {
  const [java, libs] = await Promise.all([findJava(deps.environment), fetchKafka(deps)]);
  const nodes = await layOut(options.nodes, deps.folder);
  // 16 bytes in base64url, as Kafka's own `random-uuid` prints them. The first byte is not random: an id that begins
  // with `-` would be parsed as an option.
  const clusterId = Buffer.concat([Buffer.of(0), randomBytes(15)]).toString('base64url');
  const run = { java: java.command, libs, options, deps, clusterId };
  await Promise.all(nodes.map((node) => prepareNode(node, nodes, run)));
  const servers = await Promise.all(nodes.map((node) => startNode(node, run)));
  return { brokers: nodes.map((node) => `127.0.0.1:${node.brokerPort}`), nodes: servers };
}

async function layOut(count: number, folder: string): Promise<Node[]> {
  const ports = await findFreePorts(2 * count);
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    brokerPort: ports[2 * index] ?? 0,
    controllerPort: ports[2 * index + 1] ?? 0,
    folder: join(folder, `kafka-${index + 1}`),
  }));
}

interface Run {
  java: string;
  libs: string;
  options: LocalKafkaOptions;
  deps: LocalKafkaDeps;
  clusterId: string;
}

async function prepareNode(node: Node, nodes: Node[], run: Run): Promise<void> {
  await mkdir(node.folder);
  await writeFile(join(node.folder, 'node.properties'), nodeProperties(node, nodes, run.options.listener));
  await writeFile(join(node.folder, 'log4j2.properties'), logProperties);
  await formatDisk(node, run);
}

async function formatDisk(node: Node, run: Run): Promise<void> {
  const args = [
    'kafka.tools.StorageTool',
    'format',
    '-t',
    run.clusterId,
    '-c',
    join(node.folder, 'node.properties'),
    ...(run.options.listener?.formatArguments ?? []),
  ];
  const formatting = await startJava(node, run, 'format.log', [quickToWarmUp, ...args]);
  const exit = await formatting.exited;
  if (!exit.clean) {
    throw new Error(
      `Kafka could not format its folder (${exit.how}): ${await failureLineOf(join(node.folder, 'format.log'))}`,
    );
  }
}

async function startNode(node: Node, run: Run): Promise<LocalBroker> {
  const heap = run.options.nodes === 1 ? ['-Xms256m', '-Xmx512m'] : ['-Xms192m', '-Xmx384m'];
  let starts = 0;

  async function start(): Promise<GuardedProcess> {
    const log = `server-${++starts}.log`;
    const logFile = join(node.folder, log);
    const process = await startJava(node, run, log, [
      ...heap,
      quickToWarmUp,
      'kafka.Kafka',
      join(node.folder, 'node.properties'),
    ]);
    await waitUntilReady({
      server: `Kafka ${kafkaVersion} (node ${node.id})`,
      process,
      logFile,
      isReady: async () => (await readLog(logFile)).includes(startedLine),
      deadlineMs: startDeadlineMs,
    });
    return process;
  }

  let process = await start();
  return {
    pid: () => process.pid,
    signal: (signal) => process.signal(signal),
    exited: () => process.exited.then(() => undefined),
    restart: async () => {
      process.signal('SIGKILL');
      await process.exited;
      process = await start();
    },
    emptyDisk: async () => {
      await rm(dataFolder(node), { recursive: true });
      await formatDisk(node, run);
    },
  };
}

function dataFolder({ folder }: Node): string {
  return join(folder, 'data');
}

function startJava(node: Node, run: Run, log: string, args: string[]): Promise<GuardedProcess> {
  return run.deps.guardian.start({
    command: run.java,
    args: ['-cp', join(run.libs, '*'), `-Dlog4j2.configurationFile=${join(node.folder, 'log4j2.properties')}`, ...args],
    cwd: node.folder,
    env: definedOnly(run.deps.environment),
    logFile: join(node.folder, log),
    endSignal: 'SIGKILL',
  });
}

function nodeProperties(node: Node, nodes: Node[], listener: KafkaListener | undefined): string {
  const settings = clusterSettings(nodes.length === 1 ? 1 : 3);
  const doorAt = (port: number) => (listener ? `,${listener.name}://127.0.0.1:${port}` : '');
  const protocols = settings['listener.security.protocol.map'] ?? '';
  return toProperties({
    ...settings,
    ...listener?.properties,
    'listener.security.protocol.map': listener ? `${protocols},${listener.name}:${listener.protocol}` : protocols,
    'node.id': node.id,
    'controller.quorum.voters': nodes.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(','),
    listeners: `PLAINTEXT://127.0.0.1:${node.brokerPort},CONTROLLER://127.0.0.1:${node.controllerPort}${doorAt(listener?.port ?? 0)}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.brokerPort}${doorAt(listener?.advertisedPort ?? listener?.port ?? 0)}`,
    'log.dirs': dataFolder(node),
  });
}

function toProperties(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

const logProperties = toProperties({
  'rootLogger.level': 'WARN',
  'rootLogger.appenderRef.stdout.ref': 'stdout',
  'appender.stdout.type': 'Console',
  'appender.stdout.name': 'stdout',
  'appender.stdout.layout.type': 'PatternLayout',
  'appender.stdout.layout.pattern': '%d %p %m (%c)%n%throwable',
  // This logger writes the line that reports that the server is ready.
  'logger.server.name': 'kafka.server.KafkaRaftServer',
  'logger.server.level': 'INFO',
});

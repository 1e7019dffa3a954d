import type { System } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatBytes } from './bytes.ts';
import { formatClockLine, findClockProblems, findZoneDataProblems, formatRuntimeLines } from './clock-words.ts';
import { findArchiveProblems, formatDatabaseLines, findPartitionProblems } from './database-words.ts';
import type { OperatorProblem } from './operator-problem.ts';

export interface Setting {
  name: string;
  /** Maps each value to the services that use it. */
  values: ReadonlyMap<string, string[]>;
}

/** Returns settings that several services read, by name. A setting with two values is a problem. */
export function groupSettings({ settings }: Pick<System, 'settings'>): Setting[] {
  return [...Map.groupBy(settings, ({ name }) => name)].map(([name, group]) => ({
    name,
    values: new Map(
      [...Map.groupBy(group, ({ value }) => value)].map(([value, sameValue]) => [
        value,
        sameValue.map(({ service }) => service),
      ]),
    ),
  }));
}

type Processes = System['processes'];

export interface ServiceLine {
  service: string;
  processes: number;
  /**
   * Version shown for the service. This is the version that most processes of the installation run. If no process of
   * this service runs it, this is the version that most of the service's own processes run.
   */
  version: string;
  /** True if `version` differs from the version that most processes of the installation run. */
  isOdd: boolean;
  /** One text such as `1 of 22 is 0.0.9` for each other version that processes of the service run. */
  others: string[];
  /** Processes by region, such as `east 8 · west 13`. */
  regions: string;
}

/** Returns the version of most processes. If two are equally frequent, returns the first. */
function mostCommonVersion(processes: Processes): string {
  const counts = [...Map.groupBy(processes, ({ version }) => version)].map(([version, group]) => ({
    version,
    count: sumOf(group),
  }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.version ?? '';
}

const sumOf = (group: Processes) => group.reduce((sum, { processes }) => sum + processes, 0);

/** Returns the services with the numbers, versions and regions of their processes. */
export function summarizeServices({ processes }: Pick<System, 'processes'>): ServiceLine[] {
  const mostCommon = mostCommonVersion(processes);
  return [...Map.groupBy(processes, ({ service }) => service)].map(([service, group]) => {
    const total = sumOf(group);
    const isOdd = group.every((each) => each.version !== mostCommon);
    const version = isOdd ? mostCommonVersion(group) : mostCommon;
    const byVersion = [...Map.groupBy(group, (each) => each.version)].filter(([other]) => other !== version);
    const byRegion = [...Map.groupBy(group, ({ region }) => region)];
    return {
      service,
      processes: total,
      version,
      isOdd,
      others: byVersion.map(([other, odd]) => `${sumOf(odd)} of ${total} ${sumOf(odd) === 1 ? 'is' : 'are'} ${other}`),
      regions: byRegion.map(([region, there]) => `${region} ${formatCount(sumOf(there))}`).join(' · '),
    };
  });
}

/** Returns a problem for the processes whose version differs from the most common version. */
function findVersionProblems({ processes }: Pick<System, 'processes'>): OperatorProblem[] {
  const mostCommon = mostCommonVersion(processes);
  const others = [...Map.groupBy(processes, ({ version }) => version)].filter(([version]) => version !== mostCommon);
  return others.map(([version, group]) => {
    const count = sumOf(group);
    const names = group.flatMap((each) => each.names);
    const [name] = names;
    const rest = sumOf(processes) - others.reduce((sum, [, each]) => sum + sumOf(each), 0);
    const who = count === 1 && name !== undefined ? `${name} runs` : `${countOf(count, 'process', 'processes')} run`;
    const listed = count === 1 ? '' : `They are ${names.join(', ')}${names.length < count ? ' and others' : ''}. `;
    return {
      key: `version ${version}`,
      title: `${who} ${version}, the other ${formatCount(rest)} ${mostCommon}.`,
      text: `${listed}Both versions support this schema. ${count === 1 ? 'Replace it' : 'Replace them'} to complete the rollout.`,
    };
  });
}

/** Returns all problems of the installation, with effects and remedies. */
export function findProblems(system: System): OperatorProblem[] {
  const differing = groupSettings(system).filter(({ values }) => values.size > 1);
  return [
    ...findVersionProblems(system),
    ...findClockProblems(system),
    ...findZoneDataProblems(system),
    ...findArchiveProblems(system),
    ...findPartitionProblems(system),
    ...differing.map(({ name, values }) => ({
      key: name,
      title: `${name} differs:`,
      text: `${[...values].map(([value, services]) => `${services.join(', ')} ${services.length === 1 ? 'runs' : 'run'} with ${value}`).join('; ')}. Set the same value and restart them.`,
    })),
    ...(system.access.isIssuerAnswering === false
      ? [
          {
            key: 'issuer',
            title: 'The issuer does not answer:',
            text: `the API requested ${system.access.issuer ?? ''}, and its log has the cause. Requests with tokens that it cannot verify get 503, and sign-in is not possible. Sessions and keys still work.`,
          },
        ]
      : []),
  ];
}

export function describeAccess({ mode, issuer }: System['access']): string {
  if (issuer === null) return 'by keys';
  const { host } = new URL(issuer);
  return mode === 'oidc' ? `by tokens of ${host}` : `by keys, and tokens of ${host}`;
}

/** Returns the whole state as text, for support. It contains no secrets. */
export function formatSystem(system: System, installation: { name: string | null; zone: string }): string {
  const { api, database, processes } = system;
  return [
    `Muster ${api.version} at ${system.asOf}`,
    `installation ${installation.name ?? 'without a name'}, zone ${installation.zone}, since ${database.installedAt}`,
    `api: Node ${api.node}, zone data ${api.zoneData}, region ${api.region}, up since ${api.startedAt}`,
    `database: PostgreSQL ${database.version}, ${formatBytes(database.bytes)}, answers in ${database.answerMs} ms, clock ${database.clockAheadMs} ms ahead, schema ${database.migration ?? 'none'}`,
    ...formatDatabaseLines(system),
    `access: ${describeAccess(system.access)}`,
    formatClockLine(system),
    ...formatRuntimeLines(system),
    ...processes.map(
      ({ service, version, region, processes: count, oldestAt }) =>
        `${service} ${version} in ${region}: ${count}, since ${oldestAt}`,
    ),
    ...groupSettings(system).flatMap(({ name, values }) =>
      [...values].map(([value, services]) => `${name}=${value} (${services.join(', ')})`),
    ),
  ].join('\n');
}

import type { System } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatBytes } from './bytes.ts';
import { clockLine, offClocks, oddZoneData, runtimeLines } from './clock-words.ts';
import { archiveMends, databaseLines, partitionMends } from './database-words.ts';
import type { Mend } from './mend.ts';

export interface Setting {
  name: string;
  /** Services by value. */
  values: ReadonlyMap<string, string[]>;
}

/** Returns settings that several services read, by name. A setting with two values is a problem. */
export function settingsOf({ settings }: Pick<System, 'settings'>): Setting[] {
  return [...Map.groupBy(settings, ({ name }) => name)].map(([name, of]) => ({
    name,
    values: new Map(
      [...Map.groupBy(of, ({ value }) => value)].map(([value, all]) => [value, all.map(({ service }) => service)]),
    ),
  }));
}

type Processes = System['processes'];

export interface ServiceLine {
  service: string;
  processes: number;
  /**
   * Version of most processes of the installation. If the service has no process of it, the version of most of its own.
   */
  version: string;
  /** True if the version differs from that of most processes of the installation. */
  isOdd: boolean;
  /** Text such as `1 of 22 is 0.0.9` for each other version of the service. */
  others: string[];
  /** Processes by region, such as `east 8 · west 13`. */
  regions: string;
}

/** Returns the version of most processes. If two are equally frequent, returns the first. */
function usualVersion(processes: Processes): string {
  const counts = [...Map.groupBy(processes, ({ version }) => version)].map(([version, of]) => ({
    version,
    count: sumOf(of),
  }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.version ?? '';
}

const sumOf = (of: Processes) => of.reduce((sum, { processes }) => sum + processes, 0);

/** Returns the services with the numbers, versions and regions of their processes. */
export function serviceLines({ processes }: Pick<System, 'processes'>): ServiceLine[] {
  const usual = usualVersion(processes);
  return [...Map.groupBy(processes, ({ service }) => service)].map(([service, of]) => {
    const all = sumOf(of);
    const isOdd = of.every((each) => each.version !== usual);
    const version = isOdd ? usualVersion(of) : usual;
    const byVersion = [...Map.groupBy(of, (each) => each.version)].filter(([other]) => other !== version);
    const byRegion = [...Map.groupBy(of, ({ region }) => region)];
    return {
      ...{ service, processes: all, version, isOdd },
      others: byVersion.map(([other, odd]) => `${sumOf(odd)} of ${all} ${sumOf(odd) === 1 ? 'is' : 'are'} ${other}`),
      regions: byRegion.map(([region, there]) => `${region} ${formatCount(sumOf(there))}`).join(' · '),
    };
  });
}

/** Returns processes whose version differs from that of most. */
function oddVersions({ processes }: Pick<System, 'processes'>): Mend[] {
  const usual = usualVersion(processes);
  const others = [...Map.groupBy(processes, ({ version }) => version)].filter(([version]) => version !== usual);
  return others.map(([version, of]) => {
    const count = sumOf(of);
    const names = of.flatMap((each) => each.names);
    const [name] = names;
    const rest = sumOf(processes) - others.reduce((sum, [, each]) => sum + sumOf(each), 0);
    const who = count === 1 && name !== undefined ? `${name} runs` : `${countOf(count, 'process', 'processes')} run`;
    const listed = count === 1 ? '' : `They are ${names.join(', ')}${names.length < count ? ' and others' : ''}. `;
    return {
      key: `version ${version}`,
      title: `${who} ${version}, the other ${formatCount(rest)} ${usual}.`,
      text: `${listed}Both may work on this schema, or they would not have started. ${count === 1 ? 'Replace it' : 'Replace them'} to end the roll-out.`,
    };
  });
}

/** Returns all problems of the installation, with effects and remedies. */
export function toMend(system: System): Mend[] {
  const differing = settingsOf(system).filter(({ values }) => values.size > 1);
  return [
    ...oddVersions(system),
    ...offClocks(system),
    ...oddZoneData(system),
    ...archiveMends(system),
    ...partitionMends(system),
    ...differing.map(({ name, values }) => ({
      key: name,
      title: `${name} differs:`,
      text: `${[...values].map(([value, services]) => `${services.join(', ')} ${services.length === 1 ? 'runs' : 'run'} with ${value}`).join('; ')}. Set it to the same, and start them again.`,
    })),
    ...(system.access.isIssuerAnswering === false
      ? [
          {
            key: 'issuer',
            title: 'The issuer does not answer:',
            text: `${system.access.issuer ?? ''} was asked by the API, whose log says why. Tokens that it cannot verify are answered 503, and nobody signs in meanwhile; sessions and keys go on.`,
          },
        ]
      : []),
  ];
}

export function accessInWords({ mode, issuer }: System['access']): string {
  if (issuer === null) return 'by keys';
  const { host } = new URL(issuer);
  return mode === 'oidc' ? `by tokens of ${host}` : `by keys, and tokens of ${host}`;
}

/** Returns the whole state as text, for support. It contains no secrets. */
export function asText(system: System, installation: { name: string | null; zone: string }): string {
  const { api, database, processes } = system;
  return [
    `Muster ${api.version} at ${system.asOf}`,
    `installation ${installation.name ?? 'without a name'}, zone ${installation.zone}, since ${database.installedAt}`,
    `api: Node ${api.node}, zone data ${api.zoneData}, region ${api.region}, up since ${api.startedAt}`,
    `database: PostgreSQL ${database.version}, ${formatBytes(database.bytes)}, answers in ${database.answerMs} ms, clock ${database.clockAheadMs} ms ahead, schema ${database.migration ?? 'none'}`,
    ...databaseLines(system),
    `access: ${accessInWords(system.access)}`,
    clockLine(system),
    ...runtimeLines(system),
    ...processes.map(
      ({ service, version, region, processes: count, oldestAt }) =>
        `${service} ${version} in ${region}: ${count}, since ${oldestAt}`,
    ),
    ...settingsOf(system).flatMap(({ name, values }) =>
      [...values].map(([value, services]) => `${name}=${value} (${services.join(', ')})`),
    ),
  ].join('\n');
}

import type { System } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatBytes } from './bytes.ts';
import { clockLine, offClocks, oddZoneData, runtimeLines } from './clock-words.ts';
import { archiveMends, databaseLines, partitionMends } from './database-words.ts';
import type { Mend } from './mend.ts';

export interface Setting {
  name: string;
  /** By what it is, who runs with it. */
  values: ReadonlyMap<string, string[]>;
}

/** Settings that several services read, by name: one that has two values is to be mended. */
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
  /** That most processes of the installation run; where none of the service does, that of most of the service. */
  version: string;
  /** It is not that of most processes of the installation. */
  isOdd: boolean;
  /** `1 of 22 is 0.0.9`, for each other one that some of it run. */
  others: string[];
  /** `east 8 · west 13` */
  regions: string;
}

/** What most processes run; of two that as many run, the one that is named first. */
function usualVersion(processes: Processes): string {
  const counts = [...Map.groupBy(processes, ({ version }) => version)].map(([version, of]) => ({
    version,
    count: sumOf(of),
  }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.version ?? '';
}

const sumOf = (of: Processes) => of.reduce((sum, { processes }) => sum + processes, 0);

/** Each service: how many of it run, in which version, and where. */
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

/** Processes of another version than most: who they are, and when that ends. */
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

/** What is to be mended, each with what it does and how. */
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

/** Who is taken, and whose tokens. */
export function accessInWords({ mode, issuer }: System['access']): string {
  if (issuer === null) return 'by keys';
  const { host } = new URL(issuer);
  return mode === 'oidc' ? `by tokens of ${host}` : `by keys, and tokens of ${host}`;
}

/** All of it, to be sent on: no secret is in it. */
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

import type { System } from '#client/types.gen.ts';

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

const mostClockMs = 1000;

export interface Mend {
  key: string;
  title: string;
  text: string;
}

/** What is to be mended, each with what it does and how. */
export function toMend(system: System): Mend[] {
  const differing = settingsOf(system).filter(({ values }) => values.size > 1);
  const { clockAheadMs } = system.database;
  return [
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
    ...(Math.abs(clockAheadMs) > mostClockMs
      ? [
          {
            key: 'clock',
            title: 'The clocks are apart:',
            text: `the database’s is ${Math.abs(Math.round(clockAheadMs))} ms ${clockAheadMs > 0 ? 'ahead of' : 'behind'} that of the API. Due times go by the database’s; mend the clock of one of them.`,
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

/** `1.2 GB` of 1,234,567,890. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power] ?? 'B'}`;
}

/** All of it, to be sent on: no secret is in it. */
export function asText(system: System, installation: { name: string | null; zone: string }): string {
  const { api, database, nodes } = system;
  return [
    `Muster ${api.version} at ${system.asOf}`,
    `installation ${installation.name ?? 'without a name'}, zone ${installation.zone}, since ${database.installedAt}`,
    `api: Node ${api.node}, zone data ${api.zoneData}, region ${api.region}, up since ${api.startedAt}`,
    `database: PostgreSQL ${database.version}, ${formatBytes(database.bytes)}, answers in ${database.answerMs} ms, clock ${database.clockAheadMs} ms ahead, schema ${database.migration ?? 'none'}`,
    `access: ${accessInWords(system.access)}`,
    ...nodes.map(({ kind, region, processes }) => `${kind} in ${region}: ${processes}`),
    ...settingsOf(system).flatMap(({ name, values }) =>
      [...values].map(([value, services]) => `${name}=${value} (${services.join(', ')})`),
    ),
  ].join('\n');
}

import type { ReactNode } from 'react';
import type { System } from '#client/types.gen.ts';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { describeClocks, countVersions, formatVersions } from './clock-words.ts';
import { describeArchive, findArchiveProblems, findPartitionProblems } from './database-words.ts';
import { summarizeServices, groupSettings } from './system-words.ts';

export function VersionsPanel({ system }: { system: System }) {
  const { api, database, processes, partitions, logArchive } = system;
  const settings = groupSettings(system);
  const lines = summarizeServices(system);
  const zoneData = countVersions('zoneData', system);
  return (
    <Panel
      title="Versions"
      note={countOf(
        processes.reduce((sum, each) => sum + each.processes, 0),
        'process',
        'processes',
      )}
    >
      <DataTable
        caption="Processes"
        className="[--row:30px]"
        columns={columns}
        rows={lines}
        keyOf={({ service }) => service}
      />
      <div className="pad border-t border-line">
        <dl className="kv sm">
          <dt>This API</dt>
          <dd>
            {api.version} in {api.region}, up since <Time instant={api.startedAt} />
          </dd>
          <dt>Zone data</dt>
          <Standing isWell={zoneData.length <= 1}>{formatVersions(zoneData)}</Standing>
          <dt>Clocks</dt>
          <Standing isWell={system.clocks.offCount === 0} isKnown={system.clocks.apartMs !== null}>
            {describeClocks(system.clocks)}
          </Standing>
          <dt>Schema</dt>
          <dd className="wrap-anywhere">
            {database.migration ?? 'none'}
            {database.schemaVersion !== null && `, created by ${database.schemaVersion}`}
          </dd>
          <dt>Next partitions</dt>
          <Standing isWell={findPartitionProblems(system).length === 0}>
            <span>
              runs until <Time instant={partitions.runsUntil} />, jobs until <Time instant={partitions.jobsUntil} />
            </span>
          </Standing>
          <dt>Backup</dt>
          <Standing isWell={findArchiveProblems(system).length === 0} isKnown={logArchive.state !== 'off'}>
            <span>
              {describeArchive(system)}{' '}
              {logArchive.lastArchivedAt !== null && <Time instant={logArchive.lastArchivedAt} />}
            </span>
          </Standing>
          <dt>Node</dt>
          <dd>{formatVersions(countVersions('node', system))}</dd>
          {settings.map(({ name, values }) => (
            <div key={name} className="contents">
              <dt className="mono">{name}</dt>
              <dd className={values.size > 1 ? 'c-warn' : undefined}>
                {[...values].map(([value, services]) => `${value} in ${services.join(', ')}`).join('; ')}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Panel>
  );
}

const columns: readonly Column<ReturnType<typeof summarizeServices>[number]>[] = [
  { header: 'Service', look: 'font-medium', cell: ({ service }) => service },
  countColumn('Processes', ({ processes }) => processes),
  {
    header: 'Version',
    cell: ({ version, isOdd, others }) => (
      <>
        <span className={isOdd ? 'c-warn' : undefined}>{version}</span>{' '}
        {others.map((other) => (
          <span key={other} className="c-warn sm">
            {other}{' '}
          </span>
        ))}
      </>
    ),
  },
  { header: 'Region', look: 't2', cell: ({ regions }) => regions },
];

interface StandingProps {
  isWell: boolean;
  isKnown?: boolean;
  children: ReactNode;
}

function Standing({ isWell, isKnown = true, children }: StandingProps) {
  return (
    <dd className={isWell ? 'row gap-1.5' : 'row gap-1.5 c-warn'}>
      {isKnown && (
        <span className={isWell ? 'c-ok flex' : 'flex'} role="img" aria-label={isWell ? 'ok' : 'problem'}>
          <Icon name={isWell ? 'check' : 'warn'} size={12} />
        </span>
      )}
      {children}
    </dd>
  );
}

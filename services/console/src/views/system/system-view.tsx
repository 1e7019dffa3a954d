import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { getSystemOptions, listQuotasOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Quota, System } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../frame/session/session.ts';
import { standingOf } from '../../live/staleness.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { ShareBar } from '../../parts/data-table/share-bar.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Freshness, StaleBanner } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, usePatience } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatBytes } from './bytes.ts';
import { ConfigurationPanel } from './configuration-panel.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { accessInWords, asText, toMend } from './system-words.ts';
import { VersionsPanel } from './versions-panel.tsx';

const route = getRouteApi('/system');
const askEveryMs = 4000;

export function SystemView() {
  const system = useQuery({ ...getSystemOptions(), refetchInterval: askEveryMs });
  const error = useKeptError(system);
  const standing = standingOf(system);
  const patience = usePatience();
  return (
    <Page title="Settings" freshness={system.data && <Freshness standing={standing} />}>
      {system.data && <StaleBanner standing={standing} note="The installation goes on; only this page waits." />}
      {system.data ? (
        <Whole system={system.data} />
      ) : error === null ? (
        patience && <SkeletonBar width={320} />
      ) : (
        <section className="panel">
          <Failed title="The system could not be read" error={error} onRetry={() => void system.refetch()} />
        </section>
      )}
    </Page>
  );
}

function Whole({ system }: { system: System }) {
  const { installation } = useSession();
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const mend = toMend(system);
  return (
    <>
      <div className="head">
        <div className="min-w-0">
          <div className="row flex-wrap">
            <h2 className="text-xl leading-7">{installation.name ?? 'This installation'}</h2>
            <span className={mend.length === 0 ? 'badge ok' : 'badge warn'}>
              <Icon name={mend.length === 0 ? 'done' : 'warn'} />
              {mend.length === 0 ? 'nothing to mend' : `${countOf(mend.length, 'thing')} to mend`}
            </span>
          </div>
          <div className="meta">
            <span>
              Muster <b>{system.api.version}</b>
            </span>
            <span>
              Installation zone <b>{installation.zone}</b>
            </span>
            <span>
              Access <b>{accessInWords(system.access)}</b>
            </span>
            {installation.countries !== null && (
              <span>
                Countries <b>{installation.countries.join(', ')}</b>
              </span>
            )}
            <span>
              Since{' '}
              <b>
                <Time instant={system.database.installedAt} />
              </b>
            </span>
            <CopyButton text={asText(system, installation)} label="Copy as text" />
          </div>
        </div>
      </div>
      {mend.map(({ key, title, text }) => (
        <div key={key} className="banner" role="status">
          <Icon name="warn" />
          <div>
            <b>{title}</b> <span className="t2">{text}</span>
          </div>
        </div>
      ))}
      <div className="cols grid-cols-2 max-[1100px]:grid-cols-1">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <DependsPanel system={system} />
          <ConfigurationPanel
            system={system}
            isAll={show === 'all'}
            onShow={(isAll) => void navigate({ search: { show: isAll ? 'all' : undefined }, replace: true })}
          />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <VersionsPanel system={system} />
          <PolicyPanel system={system} />
          <BoundsPanel />
        </div>
      </div>
    </>
  );
}

const dependencyColumns: readonly Column<System['database']>[] = [
  {
    header: 'Service',
    cell: () => (
      <div className="row gap-1.75 font-medium">
        <span className="c-ok flex" role="img" aria-label="well">
          <Icon name="done" size={14} />
        </span>
        Postgres
      </div>
    ),
    below: ({ version, bytes }) => (
      <div className="pl-5.25 wrap-anywhere">
        {version} · {formatBytes(bytes)}
      </div>
    ),
  },
  {
    header: 'Answer',
    align: 'right',
    look: 'whitespace-nowrap',
    cell: ({ answerMs }) => `${answerMs} ms`,
    below: ({ clockAheadMs }) =>
      `clock ${clockAheadMs >= 0 ? '+' : '−'} ${formatCount(Math.abs(Math.round(clockAheadMs)))} ms`,
  },
];

function DependsPanel({ system: { database } }: { system: System }) {
  return (
    <Panel title="Depends on" note="asked every 4 s">
      <DataTable
        caption="What it depends on"
        columns={dependencyColumns}
        rows={[database]}
        keyOf={({ version }) => version}
        isHeadHidden
        isTall
      />
      <p className="pad sm t2 border-t border-line">
        Kafka and endpoints stand at their{' '}
        <Link className="link" to="/shards">
          shards
        </Link>
        , receivers of callbacks at their{' '}
        <Link className="link" to="/clients">
          clients
        </Link>
        . <code>muster doctor</code> tries all of it.
      </p>
    </Panel>
  );
}

const quotaWords: Readonly<Record<Quota['name'], string>> = {
  openRuns: 'Open runs',
  campaignChanges: 'Changes of campaigns',
  lists: 'Uploaded lists',
  listBytes: 'Bytes of lists',
  allListBytes: 'Bytes of all lists',
  streams: 'Streams',
  exports: 'Exports at once',
  uploads: 'Uploads at once',
  reports: 'Reports at once',
  previews: 'Previews at once',
};

const shareOf = ({ used, limit }: Quota) => (limit > 0 ? used / limit : 0);
const isNear = (quota: Quota) => shareOf(quota) >= 0.9;

const quotaColumns: readonly Column<Quota>[] = [
  { header: 'Bound', width: 'w-38', look: 't2 whitespace-nowrap', cell: ({ name }) => quotaWords[name] },
  { header: 'Share', cell: (quota) => <ShareBar share={shareOf(quota)} isLow={isNear(quota)} /> },
  {
    header: 'Now',
    align: 'right',
    width: 'w-44',
    look: (quota) => (isNear(quota) ? 'whitespace-nowrap c-warn' : 'whitespace-nowrap'),
    cell: ({ name, used, limit }) => {
      const format = name.endsWith('Bytes') ? formatBytes : formatCount;
      return (
        <>
          {format(used)} <span className="t3">of {format(limit)}</span>
        </>
      );
    },
  },
];

function BoundsPanel() {
  const quotas = useQuery(listQuotasOptions());
  return (
    <Panel title="Bounds" note="of the account of this key">
      <ListView what="The bounds" query={quotas} items={quotas.data?.items} empty={null}>
        <DataTable
          caption="Bounds"
          className="[--row:27px] [&>tbody]:text-sm"
          columns={quotaColumns}
          rows={quotas.data?.items}
          keyOf={({ name }) => name}
          isHeadHidden
        />
      </ListView>
    </Panel>
  );
}

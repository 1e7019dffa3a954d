import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { getSystemOptions, listQuotasOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Quota, System } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../frame/session/session.ts';
import { updateStatusOf } from '../../live/update-status.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { ShareBar } from '../../parts/data-table/share-bar.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Freshness, StaleBanner } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { formatBytes } from './bytes.ts';
import { ConfigurationPanel } from './configuration-panel.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { describeAccess, formatSystem, findProblems } from './system-words.ts';
import { VersionsPanel } from './versions-panel.tsx';

const route = getRouteApi('/system');
const pollEveryMs = 4000;

export function SystemView() {
  const system = useQuery({ ...getSystemOptions(), refetchInterval: pollEveryMs });
  const error = useLastError(system);
  const standing = updateStatusOf(system);
  const patience = useHasWaited();
  return (
    <Page title="Settings" freshness={system.data && <Freshness standing={standing} />}>
      {system.data && (
        <StaleBanner standing={standing} note="The installation continues to work; only this page is outdated." />
      )}
      {system.data ? (
        <SystemPanels system={system.data} />
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

function SystemPanels({ system }: { system: System }) {
  const { installation } = useSession();
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const problems = findProblems(system);
  return (
    <>
      <div className="head">
        <div className="min-w-0">
          <div className="row flex-wrap">
            <h2 className="text-xl leading-7">{installation.name ?? 'This installation'}</h2>
            <span className={problems.length === 0 ? 'badge ok' : 'badge warn'}>
              <Icon name={problems.length === 0 ? 'done' : 'warn'} />
              {problems.length === 0 ? 'no problems' : countOf(problems.length, 'problem')}
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
              Access <b>{describeAccess(system.access)}</b>
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
            <CopyButton text={formatSystem(system, installation)} label="Copy as text" />
          </div>
        </div>
      </div>
      {problems.map(({ key, title, text }) => (
        <div key={key} className="banner" role="status">
          <Icon name="warn" />
          <div>
            <b>{title}</b> <span className="t2">{text}</span>
          </div>
        </div>
      ))}
      <div className="cols grid-cols-2 max-[1100px]:grid-cols-1">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <DependenciesPanel system={system} />
          <ConfigurationPanel
            system={system}
            isAll={show === 'all'}
            onShow={(isAll) => void navigate({ search: { show: isAll ? 'all' : undefined }, replace: true })}
          />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <VersionsPanel system={system} />
          <PolicyPanel system={system} />
          <QuotasPanel />
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
        <span className="c-ok flex" role="img" aria-label="ok">
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

function DependenciesPanel({ system: { database } }: { system: System }) {
  return (
    <Panel title="Dependencies" note="checked every 4 s">
      <DataTable
        caption="Dependencies"
        columns={dependencyColumns}
        rows={[database]}
        keyOf={({ version }) => version}
        isHeadHidden
        isTall
      />
      <p className="pad sm t2 border-t border-line">
        For Kafka and endpoints, see the{' '}
        <Link className="link" to="/shards">
          shards
        </Link>
        ; for receivers of callbacks, see the{' '}
        <Link className="link" to="/clients">
          clients
        </Link>
        . <code>muster doctor</code> checks all of them.
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
const isNearLimit = (quota: Quota) => shareOf(quota) >= 0.9;

const quotaColumns: readonly Column<Quota>[] = [
  { header: 'Quota', width: 'w-38', look: 't2 whitespace-nowrap', cell: ({ name }) => quotaWords[name] },
  { header: 'Share', cell: (quota) => <ShareBar share={shareOf(quota)} isLow={isNearLimit(quota)} /> },
  {
    header: 'Now',
    align: 'right',
    width: 'w-44',
    look: (quota) => (isNearLimit(quota) ? 'whitespace-nowrap c-warn' : 'whitespace-nowrap'),
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

function QuotasPanel() {
  const quotas = useQuery(listQuotasOptions());
  return (
    <Panel title="Quotas" note="of the account of this key">
      <ListView what="The quotas" query={quotas} items={quotas.data?.items} empty={null}>
        <DataTable
          caption="Quotas"
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

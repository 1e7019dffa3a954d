import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getSchedulerOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Scheduler } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { updateStatusOf } from '../../live/update-status.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { HostBanner } from '../../parts/jobs/host-banner.tsx';
import { useClients } from '../../parts/jobs/use-clients.ts';
import { Kpis, type Kpi } from '../../parts/panels/kpis.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, useHasWaited } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { PartitionsPanel } from './partitions-panel.tsx';
import { RegionDialog, type RegionVerb } from './region-dialog.tsx';
import { summarizeRegions, type RegionSummary } from './region-summary.ts';
import { RegionsPanel } from './regions-panel.tsx';

const pollEveryMs = 4000;
const maxHosts = 5;

export function SchedulerView() {
  const scheduler = useQuery({ ...getSchedulerOptions(), refetchInterval: pollEveryMs });
  const error = useLastError(scheduler);
  const standing = updateStatusOf(scheduler);
  const patience = useHasWaited();
  const isOld = useIsStale(standing);
  return (
    <Page title="Scheduler" freshness={scheduler.data && <Freshness standing={standing} />}>
      {scheduler.data ? (
        <>
          <StaleBanner standing={standing} note="Jobs are still called; only this page is outdated." />
          <SchedulerPanels scheduler={scheduler.data} isOld={isOld} />
        </>
      ) : error === null ? (
        patience && <SkeletonBar width={320} />
      ) : (
        <section className="panel">
          <Failed title="The scheduler could not be read" error={error} onRetry={() => void scheduler.refetch()} />
        </section>
      )}
    </Page>
  );
}

function SchedulerPanels({ scheduler, isOld }: { scheduler: Scheduler; isOld: boolean }) {
  const [dialog, setDialog] = useState<{ verb: RegionVerb; region: string }>();
  const refusal = useRefusal('operator');
  const clients = useClients();
  const regions = summarizeRegions(scheduler);
  const { hosts, partitions } = scheduler;
  const unowned = partitions.filter(({ owner }) => owner === null).length;
  return (
    <>
      <Kpis kpis={kpisOf(scheduler)} isOld={isOld} />
      {unowned > 0 && (
        <div className="banner bad" role="alert">
          <Icon name="failed" />
          <div>
            <b>
              {countOf(unowned, 'partition')} of {formatCount(partitions.length)} {unowned === 1 ? 'has' : 'have'} no
              scheduler.
            </b>{' '}
            <span className="t2">
              Due jobs wait until a scheduler takes {unowned === 1 ? 'it' : 'them'}: within seconds, if one is alive in
              an active region.
            </span>
          </div>
        </div>
      )}
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,400px)] max-[1180px]:grid-cols-1">
        <RegionsPanel regions={regions} refusal={refusal} onOpen={(verb, region) => setDialog({ verb, region })} />
        <PartitionsPanel partitions={partitions} />
      </div>
      <Panel title="Sidelined hosts" note="by client, longest first">
        <div className="grid gap-2 p-3">
          {hosts.length === 0 && <p className="t3 sm">None: all called hosts answer.</p>}
          {hosts.slice(0, maxHosts).map((host) => (
            <HostBanner
              key={`${host.clientId} ${host.host}`}
              host={host}
              client={clients.nameOf(host.clientId)}
              refusal={refusal}
            />
          ))}
          {hosts.length > maxHosts && (
            <p className="sm t2">and {countOf(hosts.length - maxHosts, 'host')} more: see their clients.</p>
          )}
        </div>
      </Panel>
      {dialog && (
        <RegionDialog
          verb={dialog.verb}
          {...splitRegions(regions, dialog.region)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

function splitRegions(regions: readonly RegionSummary[], name: string) {
  return {
    chosen: regions.find(({ region }) => region.name === name),
    others: regions.filter(({ region }) => region.name !== name),
  };
}

/** The API stops counting the due jobs of a partition here. */
const maxCounted = 1000;

function kpisOf({ backlog, lagMs, nodes, hosts, partitions, regions }: Scheduler): Kpi[] {
  const isCut = partitions.some(({ due }) => due >= maxCounted);
  const active = regions.filter((region) => region.active).length;
  const countNodes = (kind: 'scheduler' | 'dispatcher') => nodes.filter((node) => node.kind === kind).length;
  return [
    { name: 'Lag', value: formatCount(Math.round(lagMs)), unit: 'ms', note: 'delay of the latest jobs' },
    {
      name: 'Due and not called',
      value: formatCount(backlog.due),
      unit: isCut ? 'jobs or more' : 'jobs',
      note: backlog.due === 0 ? 'nothing waits' : `the oldest for ${formatDuration(backlog.oldestMs)}`,
    },
    {
      name: 'Clients with a backlog',
      value: formatCount(backlog.clientsBehind),
      note: 'more jobs due than may be called now',
    },
    {
      name: 'Nodes',
      value: formatCount(nodes.length),
      note: `${countOf(countNodes('scheduler'), 'scheduler')}, ${countOf(countNodes('dispatcher'), 'dispatcher')}, ${countOf(active, 'active region')}`,
    },
    {
      name: 'Sidelined',
      value: formatCount(hosts.length),
      unit: hosts.length === 1 ? 'host' : 'hosts',
      note: `${countOf(
        hosts.reduce((sum, { sidelined }) => sum + sidelined, 0),
        'job',
      )} waiting`,
    },
  ];
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getSchedulerOptions } from '#client/@tanstack/react-query.gen.ts';
import type { Scheduler } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { standingOf } from '../../live/staleness.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { HostBanner } from '../../parts/jobs/host-banner.tsx';
import { useClients } from '../../parts/jobs/use-clients.ts';
import { Kpis, type Kpi } from '../../parts/panels/kpis.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Freshness, StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { SkeletonBar, usePatience } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { PartitionsPanel } from './partitions-panel.tsx';
import { RegionDialog, type RegionVerb } from './region-dialog.tsx';
import { regionLooks, type RegionLook } from './region-look.ts';
import { RegionsPanel } from './regions-panel.tsx';

const askEveryMs = 4000;
const mostHosts = 5;

export function SchedulerView() {
  const scheduler = useQuery({ ...getSchedulerOptions(), refetchInterval: askEveryMs });
  const error = useKeptError(scheduler);
  const standing = standingOf(scheduler);
  const patience = usePatience();
  const isOld = useIsStale(standing);
  return (
    <Page title="Scheduler" freshness={scheduler.data && <Freshness standing={standing} />}>
      {scheduler.data ? (
        <>
          <StaleBanner standing={standing} note="Jobs are called all the same; only this page waits." />
          <Whole scheduler={scheduler.data} isOld={isOld} />
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

function Whole({ scheduler, isOld }: { scheduler: Scheduler; isOld: boolean }) {
  const [asked, setAsked] = useState<{ verb: RegionVerb; region: string }>();
  const refusal = useRefusal('operator');
  const clients = useClients();
  const regions = regionLooks(scheduler);
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
              {countOf(unowned, 'partition')} of {formatCount(partitions.length)} {unowned === 1 ? 'is' : 'are'} looked
              at by no scheduler.
            </b>{' '}
            <span className="t2">
              What falls due there waits until one takes {unowned === 1 ? 'it' : 'them'}: within some seconds, where one
              is alive in an active region.
            </span>
          </div>
        </div>
      )}
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,400px)] max-[1180px]:grid-cols-1">
        <RegionsPanel regions={regions} refusal={refusal} onAsk={(verb, region) => setAsked({ verb, region })} />
        <PartitionsPanel partitions={partitions} />
      </div>
      <Panel title="Hosts put aside" note="by client, longest first">
        <div className="grid gap-2 p-3">
          {hosts.length === 0 && <p className="t3 sm">None: every host that is called answers.</p>}
          {hosts.slice(0, mostHosts).map((host) => (
            <HostBanner
              key={`${host.clientId} ${host.host}`}
              host={host}
              client={clients.nameOf(host.clientId)}
              refusal={refusal}
            />
          ))}
          {hosts.length > mostHosts && (
            <p className="sm t2">and {countOf(hosts.length - mostHosts, 'host')} more: each stands at its client.</p>
          )}
        </div>
      </Panel>
      {asked && (
        <RegionDialog verb={asked.verb} {...splitBy(regions, asked.region)} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

function splitBy(regions: readonly RegionLook[], name: string) {
  return {
    chosen: regions.find(({ region }) => region.name === name),
    others: regions.filter(({ region }) => region.name !== name),
  };
}

/** The API stops counting the due jobs of a partition here. */
const mostCounted = 1000;

function kpisOf({ backlog, lagMs, nodes, hosts, partitions, regions }: Scheduler): Kpi[] {
  const isCut = partitions.some(({ due }) => due >= mostCounted);
  const active = regions.filter((region) => region.active).length;
  const ofKind = (kind: 'scheduler' | 'dispatcher') => nodes.filter((node) => node.kind === kind).length;
  return [
    { name: 'Lag', value: formatCount(Math.round(lagMs)), unit: 'ms', note: 'how late the last jobs were seen' },
    {
      name: 'Due and not called',
      value: formatCount(backlog.due),
      unit: isCut ? 'jobs or more' : 'jobs',
      note: backlog.due === 0 ? 'nothing waits' : `the oldest for ${formatDuration(backlog.oldestMs)}`,
    },
    {
      name: 'Clients behind',
      value: formatCount(backlog.clientsBehind),
      note: 'more is due than may be called now',
    },
    {
      name: 'Nodes',
      value: formatCount(nodes.length),
      note: `${countOf(ofKind('scheduler'), 'scheduler')}, ${countOf(ofKind('dispatcher'), 'dispatcher')}, ${countOf(active, 'active region')}`,
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

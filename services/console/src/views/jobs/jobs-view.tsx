import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { countJobsOptions, getClientLedgerOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ClientLedger, JobCounts } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { jobHasEnded } from '../../parts/jobs/job-looks.ts';
import { LedgerLine } from '../../parts/jobs/ledger-line.tsx';
import { useClients } from '../../parts/jobs/use-clients.ts';
import { Chips, type Chip } from '../../parts/lists/chips.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkVerb, Target } from './bulk.ts';
import { createJobFilter, needsClient } from './job-filter.ts';
import { JobFilters } from './job-filters.tsx';
import { JobList } from './job-list.tsx';
import { ScheduleJobDialog } from './schedule-job-dialog.tsx';
import type { JobsSearch } from './search.ts';
import { noSelection, SelectionBar, type Selection } from './selection-bar.tsx';
import { SidelinedBanner } from './sidelined-banner.tsx';
import { useJobs } from './use-jobs.ts';

const route = getRouteApi('/jobs');
const askEveryMs = 10_000;

export function JobsView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // The time is fixed when the view opens. The filter contains it, so with the current time each render would request
  // another list.
  const [nowMs] = useState(() => Date.now());
  const [selection, setSelection] = useState<Selection>(noSelection);
  const [openDialog, setOpenDialog] = useState<'new' | { verb: BulkVerb; target: Target }>();
  const refusal = useRefusal('scheduler');
  const clients = useClients();
  const jobs = useJobs(search, nowMs);
  const ledger = useQuery({
    ...getClientLedgerOptions({ path: { id: search.client ?? '' } }),
    enabled: search.client !== undefined,
    refetchInterval: askEveryMs,
  }).data;
  const counts = useQuery({
    ...countJobsOptions(),
    enabled: search.client === undefined,
    refetchInterval: askEveryMs,
  }).data;
  const error = useLastError(jobs);
  const choose = (change: Partial<JobsSearch>) => {
    setSelection(noSelection);
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...change }) });
  };
  return (
    <Page
      title="Jobs"
      actions={
        <Button icon="plus" refusal={refusal} onClick={() => setOpenDialog('new')}>
          <span className="wide">Schedule a job</span>
          <span className="narrow">Job</span>
        </Button>
      }
    >
      <Chips
        label="Filter by state"
        chips={chipsOf(ledger, search.client === undefined ? counts : undefined)}
        chosen={search.state ?? 'open'}
        onChoose={(value) => choose({ state: value === 'open' ? undefined : value })}
      />
      <SidelinedBanner
        client={search.client}
        isEnabled={search.state === 'sidelined' || (ledger?.sidelined ?? 0) > 0}
        clients={clients}
      />
      <section className="panel" aria-label="Jobs">
        <JobFilters search={search} clients={clients} onChoose={choose} />
        {(selection.isAll || selection.jobs.size > 0) && (
          <SelectionBar
            selection={selection}
            verbs={verbsOf(search)}
            refusal={refusal}
            total={totalOf(search, ledger)}
            selectAllRefusal={findSelectAllRefusal(search)}
            onSelect={setSelection}
            onVerb={(verb) => setOpenDialog({ verb, target: targetOf(search, selection, nowMs, ledger) })}
          />
        )}
        <JobList
          search={search}
          page={needsClient(search) ? undefined : jobs.data}
          total={totalOf(search, ledger)}
          error={error}
          isOld={jobs.isPlaceholderData}
          onRetry={() => void jobs.refetch()}
          clients={clients}
          selection={selection}
          onSelect={setSelection}
          onChoose={choose}
          onGo={(cursor) => void navigate({ search: (before) => ({ ...before, cursor }) })}
        />
      </section>
      {ledger && <LedgerLine ledger={ledger} />}
      {openDialog === 'new' && (
        <ScheduleJobDialog client={search.client} clients={clients} onClose={() => setOpenDialog(undefined)} />
      )}
      {typeof openDialog === 'object' && (
        <BulkDialog {...openDialog} onDone={() => setSelection(noSelection)} onClose={() => setOpenDialog(undefined)} />
      )}
    </Page>
  );
}

type Choice = NonNullable<JobsSearch['state']> | 'open';

/** @param counts ended jobs of all clients, if no client is chosen */
function chipsOf(ledger: ClientLedger | undefined, counts: JobCounts | undefined): Chip<Choice>[] {
  const ended = ledger ?? counts;
  return [
    { value: 'open', label: 'Not ended', count: ledger && ledger.pending - ledger.waiting },
    { value: 'pending', label: 'Pending' },
    { value: 'waiting', label: 'Waiting', count: ledger?.waiting },
    { value: 'firing', label: 'Calling' },
    { value: 'reporting', label: 'Reporting', count: ledger?.reporting },
    { value: 'sidelined', label: 'Sidelined', count: ledger?.sidelined, warns: (ledger?.sidelined ?? 0) > 0 },
    { value: 'called', label: 'Called', count: ended?.called },
    { value: 'expired', label: 'Expired', count: ended?.expired },
    { value: 'cancelled', label: 'Cancelled', count: ended?.cancelled },
    { value: 'dead', label: 'Dead', count: ended?.dead },
  ];
}

/** Number at which the API stops counting jobs in the states `waiting` and `reporting`. */
const mostCounted = 10_000;

/**
 * Returns the number of matching jobs; undefined if it is not counted. Ended jobs are not counted, because they are
 * kept for a limited time.
 */
function totalOf(search: JobsSearch, ledger: ClientLedger | undefined): number | undefined {
  const { state, tag, endpoint, key, priority, due, name } = search;
  if (!ledger || [tag, endpoint, key, priority, due, name].some((each) => each !== undefined)) return undefined;
  if (state === undefined) return ledger.pending - ledger.waiting;
  if (state === 'waiting' || state === 'reporting') return ledger[state] < mostCounted ? ledger[state] : undefined;
  return state === 'sidelined' ? ledger.sidelined : undefined;
}

function verbsOf({ state }: JobsSearch): BulkVerb[] {
  if (state === 'firing') return [];
  if (state === 'reporting') return ['cancel'];
  return state !== undefined && jobHasEnded(state) ? ['resend'] : ['run-now', 'reschedule', 'cancel'];
}

function findSelectAllRefusal({ state, client, name }: JobsSearch): string | null {
  if (name !== undefined) return 'Found by id or key.';
  if (state === 'firing') return 'Jobs that are being called cannot be changed.';
  if (state !== undefined && jobHasEnded(state)) return 'Ended jobs can be sent again only page by page.';
  return client === undefined ? 'Choose a client to change all matching jobs.' : null;
}

function targetOf(
  search: JobsSearch,
  { jobs, isAll }: Selection,
  nowMs: number,
  ledger: ClientLedger | undefined,
): Target {
  const { state, client } = search;
  if (!isAll || client === undefined) return { kind: 'chosen', jobs };
  const { client: _, ...filter } = createJobFilter(search, nowMs);
  const listedState = state === 'sidelined' || state === 'waiting' || state === 'reporting' ? state : 'pending';
  return { kind: 'all', client, filter, state: listedState, count: totalOf(search, ledger) };
}

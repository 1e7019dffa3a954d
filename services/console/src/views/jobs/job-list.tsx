import { Button } from '../../parts/controls/button.tsx';
import type { Clients } from '../../parts/jobs/use-clients.ts';
import { Paging } from '../../parts/lists/paging.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { describeFilters, hasFilters, needsClient } from './job-filter.ts';
import { JobTable } from './job-table.tsx';
import type { JobsSearch } from './search.ts';
import type { Selection } from './selection-bar.tsx';
import type { JobPage } from './use-jobs.ts';

interface JobListProps {
  search: JobsSearch;
  /** Page of jobs; undefined while it is loaded, or until a client is chosen. */
  page: JobPage | undefined;
  /** Number of matching jobs; undefined if it is not counted. */
  total: number | undefined;
  error: unknown;
  isOld: boolean;
  clients: Clients;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onChoose: (change: Partial<JobsSearch>) => void;
  onGo: (cursor: string | undefined) => void;
  onRetry: () => void;
}

const noFilters = {
  client: undefined,
  tag: undefined,
  endpoint: undefined,
  key: undefined,
  priority: undefined,
  due: undefined,
  name: undefined,
};

export function JobList(props: JobListProps) {
  const { search, page, total, error, isOld, clients, selection, onSelect, onChoose, onGo, onRetry } = props;
  if (needsClient(search) && search.name === undefined) {
    return (
      <ChooseClient
        which={search.key === undefined ? `that are ${search.state ?? ''}` : 'with an ordering key'}
        clients={clients}
        onChoose={onChoose}
      />
    );
  }
  if (page === undefined && error !== null) {
    return <Failed title="The jobs could not be read" error={error} onRetry={onRetry} />;
  }
  const isEmpty = page?.items.length === 0;
  if (isEmpty && page.next === null && search.cursor === undefined) {
    return hasFilters(search) || search.state !== undefined ? (
      <NoMatch title="No job matches" onClear={() => onChoose({ ...noFilters, state: undefined })}>
        {describeFilters(search)}
      </NoMatch>
    ) : (
      <Empty icon="jobs" title="No open jobs" command="muster jobs schedule --help">
        A job is a call that is scheduled for a time. It is listed here until it has been called.
      </Empty>
    );
  }
  return (
    <>
      <JobTable jobs={page?.items} clients={clients} selection={selection} onSelect={onSelect} isOld={isOld} />
      {page && (
        <Paging cursor={search.cursor} next={page.next} onGo={onGo} words={pagingWords(search)}>
          {isEmpty
            ? 'No match so far; more jobs follow'
            : `${formatCount(page.items.length)} of ${total === undefined ? 'all that match' : formatCount(total)}, ${orderOf(search)}`}
        </Paging>
      )}
    </>
  );
}

function hasEndedState({ state }: JobsSearch): boolean {
  return state === 'called' || state === 'expired' || state === 'cancelled' || state === 'dead';
}

function pagingWords(search: JobsSearch) {
  return hasEndedState(search) ? { before: 'Newer', behind: 'Older' } : { before: 'Earlier', behind: 'Later' };
}

function orderOf(search: JobsSearch): string {
  if (search.key !== undefined && !hasEndedState(search)) return 'in calling order';
  if (search.state === 'waiting') return 'by key, in calling order';
  if (search.state === 'reporting') return 'by the time when the report is due';
  if (search.state === 'sidelined') return 'by host';
  return hasEndedState(search) ? 'newest first' : 'by due time';
}

interface ChooseClientProps {
  which: string;
  clients: Clients;
  onChoose: (change: Partial<JobsSearch>) => void;
}

/** Offers clients to choose from, because the API lists ended jobs only for one client. */
function ChooseClient({ which, clients, onChoose }: ChooseClientProps) {
  const first = clients.items?.slice(0, 6) ?? [];
  return (
    <Empty
      icon="jobs"
      title="Choose a client"
      action={first.map(({ id, name }) => (
        <Button key={id} onClick={() => onChoose({ client: name })}>
          {name}
        </Button>
      ))}
    >
      Jobs {which} are listed per client.
      {clients.items?.length === 0 && ' No clients yet.'}
    </Empty>
  );
}

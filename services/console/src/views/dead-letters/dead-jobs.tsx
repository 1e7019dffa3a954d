import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { discardDeadJobs } from '#client/sdk.gen.ts';
import type { DeadJobGroup } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { useClients, type Clients } from '../../parts/jobs/use-clients.ts';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { capitalOf } from '../../parts/words/figures.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { DeadJobPanel } from './dead-job-panel.tsx';
import { countColumn } from '../../parts/data-table/columns.tsx';
import { GroupTable } from './group-table.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

const route = getRouteApi('/dead-letters');

interface DeadJobsProps {
  /** Undefined while they are asked for. */
  groups: readonly DeadJobGroup[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** Jobs whose calls failed to the last, by client and error, and one of the chosen group on the right. */
export function DeadJobs({ groups, error, onRetry }: DeadJobsProps) {
  const { client, of, cause } = route.useSearch();
  const navigate = route.useNavigate();
  const clients = useClients();
  // It stays with what came of it when its group is gone.
  const [asked, setAsked] = useState<DeadJobGroup>();
  const [discarded, setDiscarded] = useState<DeadJobGroup>();
  if (groups === undefined && error !== null) {
    return <Failed title="The dead jobs could not be read" error={error} onRetry={onRetry} />;
  }
  const choose = (name: string | undefined) => void navigate({ search: { show: 'jobs', client: name } });
  const chosen = groups?.find((group) => group.clientId === of && group.cause === cause) ?? groups?.[0];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="row flex-wrap">
        <FilterMenu
          name="Client"
          options={clients.items?.map(({ name }) => name) ?? []}
          value={client === undefined ? undefined : (clients.find(client)?.name ?? client)}
          onChoose={choose}
        />
      </div>
      {groups?.length === 0 ? (
        <section className="panel">
          <Nothing client={client} onClear={() => choose(undefined)} />
        </section>
      ) : (
        <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,540px)] max-[1180px]:grid-cols-2 max-[960px]:grid-cols-1">
          <GroupsPanel
            {...{ groups, chosen, clients }}
            onReplay={setAsked}
            onDiscard={setDiscarded}
            onChoose={(group) =>
              void navigate({
                search: { show: 'jobs', client, of: group.clientId, cause: group.cause },
                replace: true,
              })
            }
          />
          {chosen && (
            <DeadJobPanel
              key={`${chosen.clientId} ${chosen.cause}`}
              group={chosen}
              client={clients.nameOf(chosen.clientId)}
            />
          )}
        </div>
      )}
      {asked && (
        <ReplayDialog group={asked} client={clients.nameOf(asked.clientId)} onClose={() => setAsked(undefined)} />
      )}
      {discarded && (
        <DiscardDialog
          group={discarded}
          client={clients.nameOf(discarded.clientId)}
          onClose={() => setDiscarded(undefined)}
        />
      )}
    </div>
  );
}

interface DiscardDialogProps {
  group: DeadJobGroup;
  /** Its name. */
  client: string;
  onClose: () => void;
}

function DiscardDialog({ group: { clientId, cause, jobs }, client, onClose }: DiscardDialogProps) {
  return (
    <VerbDialog
      title={`Discard ${countOf(jobs, 'dead job')}?`}
      lead={`${client}: ${capitalOf(cause)}`}
      verb={`Discard ${formatCount(jobs)}`}
      leave="Leave as they are"
      isGrave
      act={() => discardDeadJobs({ body: { client: clientId, cause }, throwOnError: true })}
      onClose={onClose}
    >
      Nobody calls them again, and what was to be sent is deleted. They stay in the list of jobs as dead, and are
      counted as that. What dies from now on is left.
    </VerbDialog>
  );
}

function Nothing({ client, onClear }: { client: string | undefined; onClear: () => void }) {
  if (client !== undefined) {
    return (
      <NoMatch title="No dead job matches" onClear={onClear}>
        Client {client}.
      </NoMatch>
    );
  }
  return (
    <Empty icon="dead" title="No job was given up" command="muster dead-jobs list">
      A job whose calls fail to the last, or whose receiver says that it is gone, lies here: it is called again once its
      receiver is mended.
    </Empty>
  );
}

interface GroupsPanelProps {
  groups: readonly DeadJobGroup[] | undefined;
  chosen: DeadJobGroup | undefined;
  clients: Clients;
  onReplay: (group: DeadJobGroup) => void;
  onDiscard: (group: DeadJobGroup) => void;
  onChoose: (group: DeadJobGroup) => void;
}

function GroupsPanel({ groups, chosen, clients, onReplay, onDiscard, onChoose }: GroupsPanelProps) {
  const refusal = useRefusal('scheduler');
  const jobs = groups?.reduce((sum, group) => sum + group.jobs, 0) ?? 0;
  return (
    <Panel
      title="By client and error"
      note={groups && `${countOf(jobs, 'dead job')} in ${countOf(groups.length, 'group')}`}
      footer={
        chosen && (
          <div className="row flex-wrap">
            <b>{formatCount(chosen.jobs)} chosen</b>
            <span className="ml-auto row">
              <Button small kind="bad" refusal={refusal} onClick={() => onDiscard(chosen)}>
                Discard {formatCount(chosen.jobs)}…
              </Button>
              <Button small kind="ink" icon="retry" refusal={refusal} onClick={() => onReplay(chosen)}>
                Call {formatCount(chosen.jobs)} again…
              </Button>
            </span>
          </div>
        )
      }
    >
      <GroupTable
        caption="Dead jobs by client and error"
        groups={groups}
        keyOf={({ clientId, cause }) => `${clientId} ${cause}`}
        chosen={chosen}
        onChoose={onChoose}
        header="Error"
        title={({ cause }) => capitalOf(cause)}
        note={({ clientId }) => clients.nameOf(clientId)}
        counts={[countColumn('Jobs', (group: DeadJobGroup) => group.jobs)]}
      />
    </Panel>
  );
}

import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { discardQuarantinedJobs } from '#client/sdk.gen.ts';
import type { QuarantinedJobGroup } from '#client/types.gen.ts';
import { countColumn } from '../../parts/data-table/columns.tsx';
import { useClients } from '../../parts/jobs/use-clients.ts';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { capitalize } from '../../parts/words/figures.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import { ItemList, type ItemQuery, type Verb } from './item-list.tsx';
import { JobPanel } from './job-panel.tsx';
import { describeDiscardedJobs } from './job-effects.ts';
import { ReplayDialog } from './replay-dialog.tsx';

const route = getRouteApi('/quarantine');

interface JobsProps {
  groups: readonly QuarantinedJobGroup[] | undefined;
  query: ItemQuery;
}

/** Dead jobs: all their calls failed, or their receiver is gone. */
export function Jobs({ groups, query }: JobsProps) {
  const { client, of, reason } = route.useSearch();
  const navigate = route.useNavigate();
  const clients = useClients();
  // Contains the group itself, so that the dialog can show its result after the group has disappeared from the list.
  const [decision, setDecision] = useState<{ verb: Verb; group: QuarantinedJobGroup }>();
  const choose = (name: string | undefined) => void navigate({ search: { kind: 'job', client: name } });
  const chosen = groups?.find((group) => group.clientId === of && group.reason === reason) ?? groups?.[0];
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
      <ItemList
        noun="job"
        pluralNoun="jobs"
        query={query}
        title="By client and reason"
        table={{
          caption: 'Quarantined jobs by client and reason',
          groups,
          keyOf: (group) => `${group.clientId} ${group.reason}`,
          chosen,
          onChoose: (group) =>
            void navigate({
              search: { kind: 'job', client, of: group.clientId, reason: group.reason },
              replace: true,
            }),
          header: 'Reason',
          title: (group) => capitalize(group.reason),
          note: ({ clientId }) => clients.nameOf(clientId),
          counts: [countColumn('Jobs', (group: QuarantinedJobGroup) => group.items)],
        }}
        empty={<NoJobs client={client} onClear={() => choose(undefined)} />}
        decision={{ role: 'scheduler', onDecide: (verb, group) => setDecision({ verb, group }) }}
      >
        {chosen && (
          <JobPanel
            key={`${chosen.clientId} ${chosen.reason}`}
            group={chosen}
            client={clients.nameOf(chosen.clientId)}
          />
        )}
      </ItemList>
      {decision && (
        <GroupDialog
          {...decision}
          client={clients.nameOf(decision.group.clientId)}
          onClose={() => setDecision(undefined)}
        />
      )}
    </div>
  );
}

interface GroupDialogProps {
  verb: Verb;
  group: QuarantinedJobGroup;
  client: string;
  onClose: () => void;
}

function GroupDialog({ verb, group, client, onClose }: GroupDialogProps) {
  if (verb === 'replay') return <ReplayDialog group={group} client={client} onClose={onClose} />;
  const { clientId, reason, items } = group;
  return (
    <DecisionDialog
      verb={verb}
      noun="job"
      items={items}
      lead={`${client}: ${capitalize(reason)}`}
      effects={describeDiscardedJobs(items)}
      act={() => discardQuarantinedJobs({ body: { client: clientId, reason }, throwOnError: true })}
      onClose={onClose}
    />
  );
}

function NoJobs({ client, onClear }: { client: string | undefined; onClear: () => void }) {
  if (client !== undefined) {
    return (
      <NoMatch title="No quarantined job matches" onClear={onClear}>
        Client {client}.
      </NoMatch>
    );
  }
  return (
    <Empty icon="dead" title="No job is in quarantine" command="muster quarantine list --kind job">
      A job is kept here if its last attempt has failed, or its receiver reports that it is gone. Replay it when the
      receiver works again.
    </Empty>
  );
}

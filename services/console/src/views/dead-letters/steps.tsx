import { getRouteApi } from '@tanstack/react-router';
import type { QuarantinedStep } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { countColumn } from '../../parts/data-table/columns.tsx';
import { GroupTable } from './group-table.tsx';
import { groupSteps, type StepGroup } from './step-groups.ts';
import { StepPanel } from './step-panel.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';

const route = getRouteApi('/dead-letters');

interface StepsProps {
  /** Undefined while they are asked for. */
  steps: readonly QuarantinedStep[] | undefined;
  /** There are older ones, which are not among them. */
  hasMore: boolean;
  error: unknown;
  onRetry: () => void;
}

/**
 * Steps that nobody calls for any more, by shard and by what can be done with them, and one of the chosen group on the
 * right.
 */
export function Steps({ steps, hasMore, error, onRetry }: StepsProps) {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  if (steps === undefined && error !== null) {
    return <Failed title="The quarantined steps could not be read" error={error} onRetry={onRetry} />;
  }
  if (steps?.length === 0 && id === undefined) {
    return (
      <section className="panel">
        <Empty icon="sideline" title="No step is quarantined" command="muster quarantined list">
          A batch whose calls end their workers again and again is set aside here, so that it cannot stop the others.
        </Empty>
      </section>
    );
  }
  const groups = steps && groupSteps(steps);
  const holds = (group: StepGroup) => group.steps.some((step) => step.id === id);
  const chosen = id === undefined ? groups?.[0] : groups?.find(holds);
  const shown = id ?? chosen?.steps[0]?.id;
  const show = (step: string) => void navigate({ search: { show: 'steps', id: step }, replace: true });
  return (
    <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,540px)] max-[1180px]:grid-cols-2 max-[960px]:grid-cols-1">
      <StepGroups groups={groups} chosen={chosen} hasMore={hasMore} onChoose={show} />
      {shown !== undefined && <StepPanel id={shown} group={chosen?.steps ?? []} onShow={show} />}
    </div>
  );
}

interface StepGroupsProps {
  groups: readonly StepGroup[] | undefined;
  chosen: StepGroup | undefined;
  hasMore: boolean;
  onChoose: (id: string) => void;
}

function StepGroups({ groups, chosen, hasMore, onChoose }: StepGroupsProps) {
  const steps = groups?.reduce((sum, group) => sum + group.steps.length, 0) ?? 0;
  const users = groups?.reduce((sum, group) => sum + group.users, 0) ?? 0;
  const note = groups && `${countOf(steps, 'batch', 'batches')} in ${countOf(groups.length, 'group')}`;
  return (
    <Panel
      title="By shard"
      note={note}
      footer={
        <>
          {countOf(users, 'user')} {users === 1 ? 'is' : 'are'} unknown by them: nobody can say whether they were
          served.
          {hasMore && ` These are the newest ${formatCount(steps)} batches; older ones come when these are decided.`}
        </>
      }
    >
      <GroupTable
        caption="Quarantined steps by shard, and by what can be done with them"
        groups={groups}
        keyOf={({ key }) => key}
        chosen={chosen}
        onChoose={({ steps: [newest] }) => newest && onChoose(newest.id)}
        header="Step"
        title={({ action, country }) => `${titleOf(action)} ${country}`}
        note={({ runs, whyNot }) =>
          `${countOf(runs, 'run')} · ${whyNot === null ? 'may be opened again' : `cannot be opened again: ${whyNot}`}`
        }
        counts={[
          countColumn('Batches', (group: StepGroup) => group.steps.length),
          countColumn('Users', (group: StepGroup) => group.users),
        ]}
      />
    </Panel>
  );
}

import { getRouteApi } from '@tanstack/react-router';
import type { QuarantinedStep } from '#client/types.gen.ts';
import { countColumn } from '../../parts/data-table/columns.tsx';
import { Empty } from '../../parts/standing/states.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { ItemList, type ItemQuery } from './item-list.tsx';
import { groupSteps, type StepGroup } from './step-groups.ts';
import { StepPanel } from './step-panel.tsx';

const route = getRouteApi('/quarantine');

interface StepsProps {
  steps: readonly QuarantinedStep[] | undefined;
  /** True if there are older steps, which are not included. */
  hasMore: boolean;
  query: ItemQuery;
}

/** Quarantined steps, which workers no longer call, by shard and by permitted actions. */
export function Steps({ steps, hasMore, query }: StepsProps) {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = steps && groupSteps(steps);
  const chosen = id === undefined ? groups?.[0] : groups?.find((group) => group.steps.some((step) => step.id === id));
  const shown = id ?? chosen?.steps[0]?.id;
  const show = (step: string) => void navigate({ search: { kind: 'step', id: step }, replace: true });
  return (
    <ItemList
      one="step"
      many="steps"
      query={query}
      title="By shard"
      table={{
        caption: 'Quarantined steps by shard, and by what can be done with them',
        groups,
        keyOf: ({ key }) => key,
        chosen,
        onChoose: ({ steps: [newest] }) => newest && show(newest.id),
        header: 'Step',
        title: ({ action, country }) => `${titleOf(action)} ${country}`,
        note: ({ runs, whyNot }) =>
          `${countOf(runs, 'run')} · ${whyNot === null ? 'may be replayed' : `cannot be replayed: ${whyNot}`}`,
        counts: [
          countColumn('Steps', (group: StepGroup) => group.items),
          countColumn('Users', (group: StepGroup) => group.users),
        ],
      }}
      empty={
        <Empty icon="sideline" title="No step is in quarantine" command="muster quarantine list --kind step">
          A step whose calls end their workers again and again is kept here, so that it cannot stop the others.
        </Empty>
      }
      hasItem={id !== undefined}
      footer={<StepsFooter groups={groups ?? []} hasMore={hasMore} />}
    >
      {shown !== undefined && <StepPanel id={shown} group={chosen?.steps ?? []} onShow={show} />}
    </ItemList>
  );
}

function StepsFooter({ groups, hasMore }: { groups: readonly StepGroup[]; hasMore: boolean }) {
  const steps = groups.reduce((sum, { items }) => sum + items, 0);
  const users = groups.reduce((sum, group) => sum + group.users, 0);
  return (
    <>
      {countOf(users, 'user')} {users === 1 ? 'is' : 'are'} unknown by them: nobody can say whether they were served.
      Each step is decided by itself.
      {hasMore && ` These are the newest ${formatCount(steps)} steps; older ones come when these are decided.`}
    </>
  );
}

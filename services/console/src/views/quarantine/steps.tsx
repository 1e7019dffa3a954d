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

/**
 * Quarantined steps, which workers no longer call. They are grouped by shard (action type and country), and by whether
 * they can be reopened.
 */
export function Steps({ steps, hasMore, query }: StepsProps) {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = steps && groupSteps(steps);
  const chosen = id === undefined ? groups?.[0] : groups?.find((group) => group.steps.some((step) => step.id === id));
  const stepId = id ?? chosen?.steps[0]?.id;
  const show = (step: string) => void navigate({ search: { kind: 'step', id: step }, replace: true });
  return (
    <ItemList
      noun="step"
      pluralNoun="steps"
      query={query}
      title="By shard"
      table={{
        caption: 'Quarantined steps by shard and permitted actions',
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
          A step whose calls repeatedly end their workers is kept here, so that it cannot stop other steps.
        </Empty>
      }
      hasItem={id !== undefined}
      footer={<StepsFooter groups={groups ?? []} hasMore={hasMore} />}
    >
      {stepId !== undefined && <StepPanel id={stepId} group={chosen?.steps ?? []} onShow={show} />}
    </ItemList>
  );
}

function StepsFooter({ groups, hasMore }: { groups: readonly StepGroup[]; hasMore: boolean }) {
  const steps = groups.reduce((sum, { items }) => sum + items, 0);
  const users = groups.reduce((sum, group) => sum + group.users, 0);
  return (
    <>
      {countOf(users, 'user')} of these steps {users === 1 ? 'has' : 'have'} an unknown outcome. Decide each step
      separately.
      {hasMore && ` These are the newest ${formatCount(steps)} steps. Older steps appear when these are decided.`}
    </>
  );
}

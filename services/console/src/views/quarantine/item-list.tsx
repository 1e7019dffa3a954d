import type { ReactNode } from 'react';
import { useRefusal, type Role } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { GroupTable, type GroupTableProps, type QuarantinedGroup } from './group-table.tsx';

export type Verb = 'replay' | 'discard';

export interface ItemQuery {
  error: unknown;
  refetch: () => unknown;
}

interface ItemListProps<Group extends QuarantinedGroup> {
  /** Nouns such as `job` and `jobs`. */
  noun: string;
  pluralNoun: string;
  query: ItemQuery;
  /** Title of the groups, such as `By client and reason`. */
  title: string;
  table: GroupTableProps<Group>;
  /** Content that is shown if nothing is in quarantine and no item was requested by its id. */
  empty: ReactNode;
  hasItem?: boolean;
  /**
   * Role that may decide about a whole group, and the function that opens the dialog. Undefined if items are decided
   * one by one.
   */
  decision?: { role: Role; onDecide: (verb: Verb, group: Group) => void };
  /** Text below the groups, for groups without buttons. */
  footer?: ReactNode;
  children: ReactNode;
}

/** Quarantined items of one kind: their groups on the left, and an item of the chosen group on the right. */
export function ItemList<Group extends QuarantinedGroup>(props: ItemListProps<Group>) {
  const { noun, pluralNoun, query, title, table, empty, hasItem = false, decision, footer, children } = props;
  const { groups, chosen } = table;
  const items = groups?.reduce((sum, group) => sum + group.items, 0) ?? 0;
  return (
    <ListView
      what={`The quarantined ${pluralNoun}`}
      query={query}
      items={hasItem ? groups && [noun] : groups}
      empty={<section className="panel">{empty}</section>}
    >
      <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,540px)] max-[1180px]:grid-cols-2 max-[960px]:grid-cols-1">
        <Panel
          title={title}
          note={groups && `${countOf(items, noun)} in ${countOf(groups.length, 'group')}`}
          footer={decision ? chosen && <GroupButtons group={chosen} {...decision} /> : footer}
        >
          <GroupTable {...table} />
        </Panel>
        {children}
      </div>
    </ListView>
  );
}

interface GroupButtonsProps<Group> {
  group: Group;
  role: Role;
  onDecide: (verb: Verb, group: Group) => void;
}

function GroupButtons<Group extends QuarantinedGroup>({ group, role, onDecide }: GroupButtonsProps<Group>) {
  const refusal = useRefusal(role);
  const count = formatCount(group.items);
  return (
    <div className="row flex-wrap">
      <b>{count} chosen</b>
      <span className="ml-auto row">
        <Button small kind="bad" refusal={refusal} onClick={() => onDecide('discard', group)}>
          Discard {count}…
        </Button>
        <Button small kind="ink" icon="retry" refusal={refusal} onClick={() => onDecide('replay', group)}>
          Replay {count}…
        </Button>
      </span>
    </div>
  );
}

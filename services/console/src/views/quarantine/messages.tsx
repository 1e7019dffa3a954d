import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { discardQuarantinedMessages, replayQuarantinedMessages } from '#client/sdk.gen.ts';
import type { QuarantinedMessageGroup } from '#client/types.gen.ts';
import { countColumn } from '../../parts/data-table/columns.tsx';
import { Empty } from '../../parts/standing/states.tsx';
import { capitalize } from '../../parts/words/figures.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import { ItemList, type ItemQuery, type Verb } from './item-list.tsx';
import { MessagePanel } from './message-panel.tsx';
import { describeMessageEffects, formatTopic } from './message-text.ts';

const route = getRouteApi('/quarantine');

interface MessagesProps {
  groups: readonly QuarantinedMessageGroup[] | undefined;
  query: ItemQuery;
}

/** Messages that workers could not parse or validate. */
export function Messages({ groups, query }: MessagesProps) {
  const { id, topic, reason } = route.useSearch();
  const navigate = route.useNavigate();
  const [decision, setDecision] = useState<{ verb: Verb; group: QuarantinedMessageGroup }>();
  const first = groups?.find((group) => group.topic === topic && group.reason === reason) ?? groups?.[0];
  const chosen = id === undefined ? first : undefined;
  return (
    <ItemList
      noun="message"
      pluralNoun="messages"
      query={query}
      title="By topic and reason"
      table={{
        caption: 'Quarantined messages by topic and reason',
        groups,
        keyOf: (group) => `${group.topic} ${group.reason}`,
        chosen,
        onChoose: (group) =>
          void navigate({ search: { kind: 'message', topic: group.topic, reason: group.reason }, replace: true }),
        header: 'Reason',
        title: (group) => capitalize(group.reason),
        note: (group) => formatTopic(group.topic),
        counts: [countColumn('Messages', (group: QuarantinedMessageGroup) => group.items)],
      }}
      empty={
        <Empty icon="dead" title="No message is in quarantine" command="muster quarantine list --kind message">
          A message that no worker can parse is kept here with its bytes. Replay it when workers can parse it.
        </Empty>
      }
      hasItem={id !== undefined}
      decision={{ role: 'operator', onDecide: (verb, group) => setDecision({ verb, group }) }}
    >
      {(id !== undefined || chosen) && (
        <MessagePanel key={`${chosen?.topic} ${chosen?.reason} ${id}`} id={id} group={chosen} />
      )}
      {decision && <GroupDialog {...decision} onClose={() => setDecision(undefined)} />}
    </ItemList>
  );
}

interface GroupDialogProps {
  verb: Verb;
  group: QuarantinedMessageGroup;
  onClose: () => void;
}

function GroupDialog({ verb, group: { topic, reason, items }, onClose }: GroupDialogProps) {
  const decide = verb === 'replay' ? replayQuarantinedMessages : discardQuarantinedMessages;
  return (
    <DecisionDialog
      verb={verb}
      noun="message"
      items={items}
      lead={`${formatTopic(topic)}: ${reason}`}
      effects={describeMessageEffects(verb, items)}
      act={() => decide({ body: { topic, reason }, throwOnError: true })}
      onClose={onClose}
    />
  );
}

import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeadLetterGroup } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { capitalOf } from '../../parts/words/figures.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { countColumn } from '../../parts/data-table/columns.tsx';
import { GroupTable } from './group-table.tsx';
import { LetterPanel } from './letter-panel.tsx';
import { topicInWords } from './letter-text.ts';
import { SettleDialog, type SettleVerb } from './settle-dialog.tsx';

const route = getRouteApi('/dead-letters');

interface LettersProps {
  /** Undefined while they are asked for. */
  groups: readonly DeadLetterGroup[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** Groups of messages on the left, one of the chosen group on the right. */
export function Letters({ groups, error, onRetry }: LettersProps) {
  const { id, topic, reason } = route.useSearch();
  const navigate = route.useNavigate();
  if (groups === undefined && error !== null) {
    return <Failed title="The dead letters could not be read" error={error} onRetry={onRetry} />;
  }
  if (groups?.length === 0 && id === undefined) {
    return (
      <section className="panel">
        <Empty icon="dead" title="No message was set aside" command="muster dead-letters list">
          A message that no worker can understand is put here, with its bytes: it is replayed once it can be understood.
        </Empty>
      </section>
    );
  }
  const chosen = groups?.find((group) => group.topic === topic && group.reason === reason) ?? groups?.[0];
  return (
    <div className="cols grid-cols-[minmax(0,1fr)_minmax(0,540px)] max-[1180px]:grid-cols-2 max-[960px]:grid-cols-1">
      <GroupsPanel
        groups={groups}
        chosen={id === undefined ? chosen : undefined}
        onChoose={(group) => void navigate({ search: { topic: group.topic, reason: group.reason }, replace: true })}
      />
      {(id !== undefined || chosen) && (
        <LetterPanel key={`${chosen?.topic} ${chosen?.reason} ${id}`} id={id} group={chosen} />
      )}
    </div>
  );
}

interface GroupsPanelProps {
  groups: readonly DeadLetterGroup[] | undefined;
  chosen: DeadLetterGroup | undefined;
  onChoose: (group: DeadLetterGroup) => void;
}

function GroupsPanel({ groups, chosen, onChoose }: GroupsPanelProps) {
  const [verb, setVerb] = useState<SettleVerb | null>(null);
  const refusal = useRefusal('operator');
  const letters = groups?.reduce((sum, group) => sum + group.letters, 0) ?? 0;
  const note = groups && `${countOf(letters, 'message')} in ${countOf(groups.length, 'group')}`;
  return (
    <Panel
      title="By topic and reason"
      note={note}
      footer={
        chosen && (
          <div className="row flex-wrap">
            <b>{formatCount(chosen.letters)} chosen</b>
            <span className="ml-auto row">
              <Button small kind="bad" refusal={refusal} onClick={() => setVerb('discard')}>
                Discard {formatCount(chosen.letters)}…
              </Button>
              <Button small kind="ink" icon="retry" refusal={refusal} onClick={() => setVerb('replay')}>
                Replay {formatCount(chosen.letters)}…
              </Button>
            </span>
          </div>
        )
      }
    >
      <GroupTable
        caption="Dead letters by topic and reason"
        groups={groups}
        keyOf={({ topic, reason }) => `${topic} ${reason}`}
        chosen={chosen}
        onChoose={onChoose}
        header="Reason"
        title={({ reason }) => capitalOf(reason)}
        note={({ topic }) => topicInWords(topic)}
        counts={[countColumn('Messages', (group: DeadLetterGroup) => group.letters)]}
      />
      {verb && chosen && <SettleDialog verb={verb} group={chosen} onClose={() => setVerb(null)} />}
    </Panel>
  );
}

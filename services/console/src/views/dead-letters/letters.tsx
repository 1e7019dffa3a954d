import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeadLetterGroup } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
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
  const rows = useRowKeys<HTMLTableSectionElement>();
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
      <table>
        <caption className="sr-only">Dead letters by topic and reason</caption>
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col" className="text-right">
              Messages
            </th>
            <th scope="col" className="text-right wide">
              Last
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {groups?.map((group) => (
            <GroupRow
              key={`${group.topic} ${group.reason}`}
              group={group}
              isChosen={group === chosen}
              onChoose={() => onChoose(group)}
            />
          )) ?? <SkeletonRows rows={5} columns={[220, 40, 100]} tall />}
        </tbody>
      </table>
      {verb && chosen && <SettleDialog verb={verb} group={chosen} onClose={() => setVerb(null)} />}
    </Panel>
  );
}

function GroupRow({ group, isChosen, onChoose }: { group: DeadLetterGroup; isChosen: boolean; onChoose: () => void }) {
  const { topic, reason, letters, firstAt, lastAt } = group;
  return (
    <tr data-row className={isChosen ? 'tall sel' : 'tall'}>
      <td className="two">
        <div>
          <button
            type="button"
            className="font-medium text-left wrap-anywhere hover:underline phone:min-h-7"
            aria-pressed={isChosen}
            data-row-link
            onClick={onChoose}
          >
            {capital(reason)}
          </button>
        </div>
        <div>{topicInWords(topic)}</div>
      </td>
      <td className="text-right">{formatCount(letters)}</td>
      <td className="text-right two wide whitespace-nowrap">
        <div>
          <Time instant={lastAt} />
        </div>
        <div>
          first <Time instant={firstAt} />
        </div>
      </td>
    </tr>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getDeadLetterOptions, listDeadLettersOptions } from '#client/@tanstack/react-query.gen.ts';
import type { DeadLetterContent, DeadLetterGroup } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { contentInWords } from './letter-text.ts';
import { Neighbours } from './neighbours.tsx';
import { SettleDialog, type SettleVerb } from './settle-dialog.tsx';

interface LetterPanelProps {
  /** One that somebody asked for by its id; else the newest of the group. */
  id: string | undefined;
  group: DeadLetterGroup | undefined;
}

/** One message as it is: where it lay, why it was set aside, its bytes. */
export function LetterPanel({ id, group }: LetterPanelProps) {
  const [place, setPlace] = useState(0);
  const list = useQuery({
    ...listDeadLettersOptions({
      query: { ...(group && { topic: group.topic, reason: group.reason }), state: 'kept', limit: 100 },
    }),
    enabled: id === undefined && group !== undefined,
  });
  const letters = list.data?.items ?? [];
  const shownId = id ?? letters[place]?.id;
  const letter = useQuery({ ...getDeadLetterOptions({ path: { id: shownId ?? '' } }), enabled: shownId !== undefined });
  const error = list.error ?? letter.error;
  const isOne = id !== undefined || group === undefined;
  return (
    <Panel
      title={isOne ? 'One message' : `${formatCount(place + 1)} of ${formatCount(group.letters)}`}
      note={letter.data && <CopyableId id={letter.data.id} what="id of the letter" />}
      actions={
        !isOne && (
          <Neighbours
            onNewer={place === 0 ? null : () => setPlace(place - 1)}
            onOlder={place >= letters.length - 1 ? null : () => setPlace(place + 1)}
          />
        )
      }
      footer="A replay publishes it to its topic byte for byte: what it names is served under the same keys as ever, so nobody is served twice."
    >
      {error !== null ? (
        <Failed title="The message could not be read" error={error} onRetry={() => void letter.refetch()} />
      ) : letter.data ? (
        <Letter letter={letter.data} />
      ) : (
        <div className="grid gap-3 px-4 pt-3 pb-3.5" aria-hidden="true">
          <SkeletonBar width={220} />
          <SkeletonBar width={180} />
        </div>
      )}
    </Panel>
  );
}

const states = {
  kept: 'nobody has decided',
  replaying: 'about to be published again',
  replayed: 'published again',
  discarded: 'given up',
} as const;

function Letter({ letter }: { letter: DeadLetterContent }) {
  const [verb, setVerb] = useState<SettleVerb | null>(null);
  const refusal = useRefusal('operator');
  const value = contentInWords(letter.value);
  const key = contentInWords(letter.key);
  return (
    <div className="grid gap-3 px-4 pt-3 pb-3.5">
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>Came</dt>
        <dd>
          <Time instant={letter.createdAt} withSeconds />
        </dd>
        <dt>Lay in</dt>
        <dd>
          <span className="mono">{letter.topic}</span>, partition {letter.partition}, offset{' '}
          {formatCount(letter.offset)}
        </dd>
        <dt>Why</dt>
        <dd>{letter.reason}</dd>
        <dt>State</dt>
        <dd>
          {states[letter.state]}
          {letter.settledAt !== null && (
            <>
              {' '}
              <Time instant={letter.settledAt} />
            </>
          )}
          {letter.replays > 0 && <span className="t3">, published again {letter.replays} times</span>}
        </dd>
        <dt>Key</dt>
        <dd className="mono">{key.text || '–'}</dd>
      </dl>
      <div className="row">
        <h3>Message</h3>
        <span className="t3 sm">
          {value.note}, {formatCount(letter.bytes)} bytes{letter.cut && ', the first 64 KiB'}
        </span>
        {letter.state === 'kept' && (
          <span className="ml-auto row">
            <Button small kind="bad" refusal={refusal} onClick={() => setVerb('discard')}>
              Discard…
            </Button>
            <Button small icon="retry" refusal={refusal} onClick={() => setVerb('replay')}>
              Replay…
            </Button>
          </span>
        )}
      </div>
      <pre className="bytes max-h-70" tabIndex={0} aria-label="The message">
        {value.text || 'empty'}
      </pre>
      {verb && <SettleDialog verb={verb} letter={letter} onClose={() => setVerb(null)} />}
    </div>
  );
}

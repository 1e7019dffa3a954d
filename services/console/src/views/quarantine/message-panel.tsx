import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getQuarantinedMessageOptions, listQuarantinedMessagesOptions } from '#client/@tanstack/react-query.gen.ts';
import { discardQuarantinedMessage, replayQuarantinedMessage } from '#client/sdk.gen.ts';
import type { QuarantinedMessageDetail, QuarantinedMessageGroup } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Time } from '../../parts/times/time.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import type { Verb } from './item-list.tsx';
import { ItemButtons, ItemPanel } from './item-panel.tsx';
import { formatContent, describeMessageEffects, formatTopic } from './message-text.ts';

interface MessagePanelProps {
  /** Id of the requested message. Default: the newest of the group. */
  id: string | undefined;
  group: QuarantinedMessageGroup | undefined;
}

export function MessagePanel({ id, group }: MessagePanelProps) {
  const [place, setPlace] = useState(0);
  const list = useQuery({
    ...listQuarantinedMessagesOptions({
      query: { ...(group && { topic: group.topic, reason: group.reason }), state: 'kept', limit: 100 },
    }),
    enabled: id === undefined && group !== undefined,
  });
  const listed = list.data?.items ?? [];
  const messageId = id ?? listed[place]?.id;
  const message = useQuery({
    ...getQuarantinedMessageOptions({ path: { id: messageId ?? '' } }),
    enabled: messageId !== undefined,
  });
  const neighbours = {
    onNewer: place === 0 ? null : () => setPlace(place - 1),
    onOlder: place >= listed.length - 1 ? null : () => setPlace(place + 1),
  };
  return (
    <ItemPanel
      noun="message"
      id={message.data?.id}
      {...(id === undefined && group && { place: { index: place, items: group.items, ...neighbours } })}
      error={list.error ?? message.error}
      onRetry={() => void message.refetch()}
      footer="A replay publishes the same bytes to the topic. Calls keep their keys, so no user is served twice."
    >
      {message.data && <Message message={message.data} />}
    </ItemPanel>
  );
}

const states = {
  kept: 'waits for a decision',
  replaying: 'about to be published again',
  replayed: 'published again',
  discarded: 'discarded',
} as const;

function Message({ message }: { message: QuarantinedMessageDetail }) {
  const [verb, setVerb] = useState<Verb>();
  const refusal = useRefusal('operator');
  const value = formatContent(message.value);
  const key = formatContent(message.key);
  return (
    <div className="grid gap-3 px-4 pt-3 pb-3.5">
      <dl className="kv [&_dd]:wrap-anywhere">
        <dt>Since</dt>
        <dd>
          <Time instant={message.since} withSeconds />
        </dd>
        <dt>Topic</dt>
        <dd>
          <span className="mono">{message.topic}</span>, partition {message.partition}, offset{' '}
          {formatCount(message.offset)}
        </dd>
        <dt>Reason</dt>
        <dd>{message.reason}</dd>
        <dt>State</dt>
        <dd>
          {states[message.state]}
          {message.decidedAt !== null && (
            <>
              {' '}
              <Time instant={message.decidedAt} />
            </>
          )}
          {message.replays > 0 && <span className="t3">, published again {message.replays} times</span>}
        </dd>
        <dt>Key</dt>
        <dd className="mono">{key.text || '–'}</dd>
      </dl>
      <div className="row">
        <h3>Message</h3>
        <span className="t3 sm">
          {value.note}, {formatCount(message.bytes)} bytes{message.cut && ', the first 64 KiB'}
        </span>
        {message.state === 'kept' && (
          <span className="ml-auto row">
            <ItemButtons refusals={{ replay: refusal, discard: refusal }} onDecide={setVerb} />
          </span>
        )}
      </div>
      <pre className="bytes max-h-70" tabIndex={0} aria-label="The message">
        {value.text || 'empty'}
      </pre>
      {verb && <MessageDialog verb={verb} message={message} onClose={() => setVerb(undefined)} />}
    </div>
  );
}

interface MessageDialogProps {
  verb: Verb;
  message: QuarantinedMessageDetail;
  onClose: () => void;
}

function MessageDialog({ verb, message: { id, topic, reason }, onClose }: MessageDialogProps) {
  const decide = verb === 'replay' ? replayQuarantinedMessage : discardQuarantinedMessage;
  return (
    <DecisionDialog
      verb={verb}
      noun="message"
      items={1}
      lead={`${formatTopic(topic)}: ${reason}`}
      effects={describeMessageEffects(verb, 1)}
      act={() => decide({ path: { id }, throwOnError: true })}
      onClose={onClose}
    />
  );
}

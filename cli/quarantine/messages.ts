import {
  discardQuarantinedMessage,
  discardQuarantinedMessages,
  getQuarantinedMessage,
  groupQuarantinedMessages,
  listQuarantinedMessages,
  replayQuarantinedMessage,
  replayQuarantinedMessages,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  QuarantinedMessage,
  QuarantinedMessageDetail,
  QuarantinedMessageGroup,
} from '../../sdk/generated/types.gen.ts';
import { count } from '../show/numbers.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';
import type { Filters, ItemKind } from './kind.ts';

const none = 'no quarantined messages';

const groupTable = tableOf<QuarantinedMessageGroup>(none, [
  right('messages', ({ items }) => items),
  left('topic', ({ topic }) => topic),
  cut('reason', ({ reason }) => reason),
  left('first', ({ firstAt }) => utcTime(firstAt)),
  left('last', ({ lastAt }) => utcTime(lastAt)),
]);

const messageTable = tableOf<QuarantinedMessage>(none, [
  left('message', ({ id }) => id),
  left('state', ({ state }) => state),
  left('topic', ({ topic }) => topic),
  cut('reason', ({ reason }) => reason),
  right('bytes', ({ bytes }) => bytes),
  left('since', ({ since }) => utcTime(since)),
]);

const queryOf = ({ topic, reason, state }: Filters) => ({
  ...(topic !== undefined && { topic }),
  ...(reason !== undefined && { reason }),
  ...(state !== undefined && { state }),
});

/** Messages that a worker could not parse, or that contradict the database. */
export const messages: ItemKind = {
  one: 'message',
  many: 'messages',
  prefix: 'dlt_',
  filters: ['topic', 'reason', 'state'],
  selections: { replay: ['topic', 'reason', 'all'], discard: ['topic', 'reason', 'all'] },
  list: ({ limit, cursor, ...filters }, answering) => {
    const query = { ...queryOf(filters), limit, ...(cursor !== undefined && { cursor }) };
    return answering({ ask: ({ client }) => listQuarantinedMessages({ client, query }), render: messageTable });
  },
  groups: (filters, answering) =>
    answering({
      ask: ({ client }) => groupQuarantinedMessages({ client, query: queryOf(filters) }),
      render: groupTable,
    }),
  show: (id, answering) =>
    answering({ ask: ({ client }) => getQuarantinedMessage({ client, path: { id } }), render: renderMessage }),
  decide: (verb, id, _terms, client) =>
    verb === 'replay'
      ? replayQuarantinedMessage({ client, path: { id } })
      : discardQuarantinedMessage({ client, path: { id } }),
  decideAll: (verb, { topic, reason, all }, client) => {
    const body = {
      ...(topic !== undefined && { topic }),
      ...(reason !== undefined && { reason }),
      ...(all && { all }),
    };
    return verb === 'replay'
      ? replayQuarantinedMessages({ client, body })
      : discardQuarantinedMessages({ client, body });
  },
};

/** Renders a message, its bytes last. The API returns bytes with control characters as base64. */
function renderMessage(message: QuarantinedMessageDetail): string {
  const { id, topic, partition, offset, reason, state, replays, bytes, since, value, cut: isCut } = message;
  const replayed = replays === 0 ? '' : `, published again ${replays === 1 ? 'once' : `${replays} times`}`;
  const displayed = value === null ? 'no value' : `${value.encoding}, ${count(bytes)} bytes${isCut ? ', cut' : ''}`;
  return [
    `${id} ${state}${replayed}`,
    `${topic}, partition ${partition}, offset ${offset}, ${utcTime(since)}`,
    oneLine(reason),
    '',
    `(${displayed})`,
    ...(value === null ? [] : [value.content]),
    '',
  ].join('\n');
}

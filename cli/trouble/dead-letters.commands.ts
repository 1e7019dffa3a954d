import {
  discardDeadLetter,
  discardDeadLetters,
  getDeadLetter,
  groupDeadLetters,
  listDeadLetters,
  replayDeadLetter,
  replayDeadLetters,
} from '../../sdk/generated/sdk.gen.ts';
import type { DeadLetter, DeadLetterContent, DeadLetterGroup } from '../../sdk/generated/types.gen.ts';
import { answer, byHand, command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, oneOf, pages, text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { count } from '../show/numbers.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const none = 'no dead letters';

const groupTable = tableOf<DeadLetterGroup>(none, [
  right('letters', ({ letters }) => letters),
  left('topic', ({ topic }) => topic),
  cut('reason', ({ reason }) => reason),
  left('first', ({ firstAt }) => utcTime(firstAt)),
  left('last', ({ lastAt }) => utcTime(lastAt)),
]);

const letterTable = tableOf<DeadLetter>(none, [
  left('letter', ({ id }) => id),
  left('state', ({ state }) => state),
  left('topic', ({ topic }) => topic),
  cut('reason', ({ reason }) => reason),
  right('bytes', ({ bytes }) => bytes),
  left('when', ({ createdAt }) => utcTime(createdAt)),
]);

const list = byHand({
  name: 'list',
  said: 'by topic and reason; one by one with --letters',
  options: {
    letters: flag('--letters', 'one by one, the newest first'),
    topic: text('--topic <topic>', 'only of this topic'),
    reason: text('--reason <reason>', 'only for this reason, as it is listed'),
    state: oneOf('--state <state>', 'only those', ['kept', 'replaying', 'replayed', 'discarded']),
    ...pages(50, 1000),
  },
  run: ({ options: { letters, limit, cursor, ...filter }, ...call }) => {
    const asked = { ...call, options: {} };
    if (!letters)
      return answer({ ask: ({ client }) => groupDeadLetters({ client, query: filter }), shown: groupTable }, asked);
    const query = { ...filter, limit, ...(cursor !== undefined && { cursor }) };
    return answer({ ask: ({ client }) => listDeadLetters({ client, query }), shown: letterTable }, asked);
  },
});

const show = command({
  name: 'show',
  args: ['<letter>'],
  said: 'one letter with its bytes',
  ask: ({ client, args: [id] }) => getDeadLetter({ client, path: { id } }),
  shown: renderDeadLetter,
});

const selection = {
  topic: text('--topic <topic>', 'all of this topic'),
  reason: text('--reason <reason>', 'all for this reason'),
  all: flag('--all', 'all about which nobody has decided'),
};

const verbs = [
  {
    verb: 'replay',
    said: 'publish one, or all that fit, again as they were',
    becomes: 'to be published again',
    one: replayDeadLetter,
    many: replayDeadLetters,
    refused: 'not replayed',
  },
  {
    verb: 'discard',
    said: 'give one, or all that fit, up',
    becomes: 'discarded',
    one: discardDeadLetter,
    many: discardDeadLetters,
    refused: 'not discarded',
  },
].map(({ verb, said, becomes, one, many, refused }) =>
  command({
    name: verb,
    args: ['[letter]'],
    said,
    options: selection,
    ask: async ({
      client,
      args: [id],
      options: { all, ...body },
    }): Promise<{ data: DeadLetter | { letters: number } }> => {
      if ([id !== undefined, Object.keys(body).length > 0, all === true].filter(Boolean).length !== 1)
        throw new UsageError('say which: a letter, --topic or --reason, or --all');
      return id === undefined ? await many({ client, body }) : await one({ client, path: { id } });
    },
    refused,
    shown: (settled) => {
      if ('id' in settled) return `${settled.id} ${settled.state}\n`;
      return `${settled.letters === 1 ? '1 letter is' : `${count(settled.letters)} letters are`} ${becomes}\n`;
    },
  }),
);

export const heading: Heading = 'Runs';

export const commands = group('dead-letters', 'messages that were not understood or not believed, over the API', [
  list,
  show,
  ...verbs,
]);

/** Its bytes come last, after an empty line. The API makes no text of what could steer a terminal. */
function renderDeadLetter(letter: DeadLetterContent): string {
  const { id, topic, partition, offset, reason, state, replays, bytes, createdAt, value, cut: isCut } = letter;
  const replayed = replays === 0 ? '' : `, published again ${replays === 1 ? 'once' : `${replays} times`}`;
  const shown = value === null ? 'no value' : `${value.encoding}, ${count(bytes)} bytes${isCut ? ', cut' : ''}`;
  return [
    `${id} ${state}${replayed}`,
    `${topic}, partition ${partition}, offset ${offset}, ${utcTime(createdAt)}`,
    oneLine(reason),
    '',
    `(${shown})`,
    ...(value === null ? [] : [value.content]),
    '',
  ].join('\n');
}

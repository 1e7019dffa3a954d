import type { z } from 'zod';
import type {
  deadLetterContent,
  deadLetterGroup,
  DeadLetterShape,
} from '../../shared/contracts/messages/dead-letters.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });
const none = 'no dead letters\n';

export function renderDeadLetterGroups(
  groups: readonly z.infer<typeof deadLetterGroup>[],
  paint: Paint,
  width = Infinity,
): string {
  if (groups.length === 0) return none;
  const columns: Column[] = [
    { title: 'letters', align: 'right' },
    left('topic'),
    { ...left('reason'), cut: true },
    left('first'),
    left('last'),
  ];
  const rows = groups.map(({ letters, topic, reason, firstAt, lastAt }) => [
    count(letters),
    oneLine(topic),
    oneLine(reason),
    utcTime(firstAt),
    utcTime(lastAt),
  ]);
  return renderTable(columns, rows, paint, width);
}

export function renderDeadLetters(letters: readonly DeadLetterShape[], paint: Paint, width = Infinity): string {
  if (letters.length === 0) return none;
  const columns: Column[] = [
    left('letter'),
    left('state'),
    left('topic'),
    { ...left('reason'), cut: true },
    { title: 'bytes', align: 'right' },
    left('when'),
  ];
  const rows = letters.map(({ id, state, topic, reason, bytes, createdAt }) => [
    id,
    state,
    oneLine(topic),
    oneLine(reason),
    count(bytes),
    utcTime(createdAt),
  ]);
  return renderTable(columns, rows, paint, width);
}

/** Its bytes come last, after an empty line. The API makes no text of what could steer a terminal. */
export function renderDeadLetter(letter: z.infer<typeof deadLetterContent>): string {
  const { id, topic, partition, offset, reason, state, replays, bytes, createdAt, value, cut } = letter;
  const replayed = replays === 0 ? '' : `, published again ${replays === 1 ? 'once' : `${replays} times`}`;
  const shown = value === null ? 'no value' : `${value.encoding}, ${count(bytes)} bytes${cut ? ', cut' : ''}`;
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

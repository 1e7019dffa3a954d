import { getRunNote, writeRunNote } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import { flag } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { utcTime } from '../show/times.ts';
import { runOf } from './run-of.ts';

export const note = command({
  name: 'note',
  args: ['<run|campaign>', '[text]'],
  description: 'show the note of a run; with a text, replace it',
  options: { remove: flag('--remove', 'remove the note') },
  ask: async ({ client, args: [named, text], options: { remove = false } }) => {
    if (remove && text !== undefined) throw new UsageError('--remove takes no text');
    const path = { id: await runOf(named, client) };
    if (text === undefined && !remove) return getRunNote({ client, path });
    return writeRunNote({ client, path, body: { text: text ?? null } });
  },
  refused: 'not written',
  render: ({ text }) => `${text ?? 'no note'}\n`,
  hint: ({ text, writtenBy, writtenAt }) =>
    text === null || writtenBy === null || writtenAt === null ? [] : `by ${writtenBy.name}, ${utcTime(writtenAt)}`,
});

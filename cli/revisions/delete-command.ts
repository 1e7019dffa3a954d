import type { Client } from '../../sdk/generated/client/types.gen.ts';
import { writeData } from '../frame/command-context.ts';
import { apiOf, byHand, worded, type CommandRow } from '../frame/command-table.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';

interface OfSubject {
  client: Client;
  path: { id: string };
}

interface Deleted {
  /** Argument as shown in `--help`. */
  arg: `<${string}>`;
  description: string;
  get: (request: OfSubject) => Promise<{ data: { name: string; revision: number } }>;
  remove: (request: OfSubject) => Promise<unknown>;
}

/** Returns the command that deletes something with all of its revisions, after a question where a person can answer. */
export function deleteCommand({ arg, description, get, remove }: Deleted): CommandRow {
  return byHand({
    name: 'delete',
    args: [arg],
    description,
    options: yes,
    run: async ({ args: [id], options, context }) => {
      const client = await apiOf(context);
      if (!options.yes && canAsk(context)) {
        const { name, revision } = (await get({ client, path: { id } })).data;
        if (!(await isConfirmed(`${name}, revision ${revision}, for good. Delete it?`, context))) {
          context.terminal.note('not deleted\n');
          return exitCodes.failure;
        }
      }
      await worded({ outcome: 'not deleted' }, () => remove({ client, path: { id } }));
      writeData(context, { id, deleted: true }, () => `${id} deleted\n`);
      return exitCodes.ok;
    },
  });
}

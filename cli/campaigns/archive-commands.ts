import { archiveCampaign, deleteCampaign, getCampaign, unarchiveCampaign } from '../../sdk/generated/sdk.gen.ts';
import { apiOf, byHand, command, worded } from '../frame/command-table.ts';
import { writeData } from '../frame/command-context.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { yes } from '../frame/given.ts';

const archive = command({
  name: 'archive',
  args: ['<campaign>'],
  description: 'put it away: lists leave it out, and it is neither changed nor started',
  ask: ({ client, args: [id] }) => archiveCampaign({ client, path: { id } }),
  refused: 'not archived',
  render: ({ id }) => `${id} archived\n`,
});

const unarchive = command({
  name: 'unarchive',
  args: ['<campaign>'],
  description: 'take it out of the archive, as it was before',
  ask: ({ client, args: [id] }) => unarchiveCampaign({ client, path: { id } }),
  render: ({ id, state }) => `${id} ${state.replaceAll('_', ' ')}\n`,
});

const remove = byHand({
  name: 'delete',
  args: ['<campaign>'],
  description: 'delete a draft that never ran, with its revisions, for good; asks first where a person can answer',
  options: yes,
  run: async ({ args: [id], options, context }) => {
    const client = await apiOf(context);
    if (!options.yes && canAsk(context)) {
      const { name, revision } = (await getCampaign({ client, path: { id } })).data;
      if (!(await isConfirmed(`${name}, revision ${revision}, for good. Delete it?`, context))) {
        context.terminal.note('not deleted\n');
        return exitCodes.failure;
      }
    }
    await worded({ outcome: 'not deleted' }, () => deleteCampaign({ client, path: { id } }));
    writeData(context, { id, deleted: true }, () => `${id} deleted\n`);
    return exitCodes.ok;
  },
});

export const archiveCommands = [archive, unarchive, remove];

import { archiveCampaign, deleteCampaign, getCampaign, unarchiveCampaign } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import { deleteCommand } from '../revisions/delete-command.ts';

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

const remove = deleteCommand({
  arg: '<campaign>',
  description: 'delete a draft that never ran, with its revisions, for good; asks first where a person can answer',
  get: getCampaign,
  remove: deleteCampaign,
});

export const archiveCommands = [archive, unarchive, remove];

import { archiveCampaign, deleteCampaign, getCampaign, unarchiveCampaign } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import { deleteCommand } from '../revisions/delete-command.ts';

const archive = command({
  name: 'archive',
  args: ['<campaign>'],
  description: 'archive a campaign: it leaves lists, and cannot be changed or started',
  ask: ({ client, args: [id] }) => archiveCampaign({ client, path: { id } }),
  refused: 'not archived',
  render: ({ id }) => `${id} archived\n`,
});

const unarchive = command({
  name: 'unarchive',
  args: ['<campaign>'],
  description: 'restore a campaign from the archive',
  ask: ({ client, args: [id] }) => unarchiveCampaign({ client, path: { id } }),
  render: ({ id, state }) => `${id} ${state.replaceAll('_', ' ')}\n`,
});

const remove = deleteCommand({
  arg: '<campaign>',
  description: 'delete a draft that never ran, with its revisions; requests a confirmation on a terminal',
  get: getCampaign,
  remove: deleteCampaign,
});

export const archiveCommands = [archive, unarchive, remove];

import { group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { controlVerbs, events, set } from './control-commands.ts';
import { compare, rates } from './figures-commands.ts';
import { note } from './note-commands.ts';
import { retryFailed } from './retry-failed.ts';
import { settle, settlements } from './settle-commands.ts';
import { revokeShare, share, shares } from './share-commands.ts';
import { heldOut, receipts, unknown, users } from './user-commands.ts';

const named = '<run|campaign>';

export const heading: Heading = 'Runs';

export const commands = group('run', 'current and ended runs', [
  ...[
    ...controlVerbs(named),
    retryFailed(named),
    set,
    unknown,
    receipts,
    users,
    heldOut,
    share,
    shares,
    revokeShare,
    settle,
    settlements,
    compare,
    rates,
    events,
    note,
  ],
]);

import { z } from 'zod';
import {
  messageDecision,
  messageSelection,
  messageStates,
  quarantinedMessage,
  quarantinedMessageDetail,
  quarantinedMessageGroup,
} from '../../../shared/contracts/quarantine/messages.ts';
import { pageQuery } from '../frame/pages.contract.ts';
import { cursorInQuery, pageView } from '../frame/public-ids.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import {
  bulkDecisionRoute,
  decisionRoutes,
  readingRoutes,
  stateForbids,
  type DecideItem,
  type KindRules,
  type Verb,
} from './kind-routes.ts';
import { messageDetailView, messageGroupView, messageView } from './message-view.ts';
import type { QuarantinedMessages } from './postgres/message-store.ts';

const maxDisplayedBytes = 64 * 1024;

const rules: KindRules = {
  kind: 'message',
  idKind: 'deadLetter',
  access: {
    list: { role: 'viewer', scope: 'none' },
    // The bytes of a message may contain user ids, so the caller needs the right to read users.
    find: { role: 'viewer', scope: 'users' },
    decide: { role: 'operator', scope: 'installation' },
  },
};

const filter = {
  topic: z.string().max(249).optional(),
  reason: z.string().max(500).optional().describe('Whole reason, as in the list'),
  state: z.enum(messageStates).optional(),
};

const verbs = {
  replay: {
    to: 'replaying',
    done: ['replaying', 'replayed'],
    description:
      'A trigger publishes the message to its topic within seconds, byte for byte. Its batches are called under the same ' +
      'keys, so no user is served twice. A message that still cannot be read comes back as a new item.',
  },
  discard: {
    to: 'discarded',
    done: ['discarded'],
    description:
      'The message stays in the list as discarded until retention deletes it. No user is lost: the trigger sweeps runs by the rows ' +
      'of the database.',
  },
} as const;

/** Registers the routes of messages that a worker could not parse, or that contradict the database. */
export function messageRoutes(server: HttpServer, { messages }: { messages: QuarantinedMessages }): void {
  readingRoutes(server, rules, {
    query: pageQuery.extend(filter),
    filter: z.strictObject(filter),
    item: quarantinedMessage,
    detail: quarantinedMessageDetail,
    group: quarantinedMessageGroup,
    list: async ({ limit, cursor, ...wanted }) =>
      pageView('deadLetter', await messages.list(wanted, limit, cursorInQuery('deadLetter', cursor)), messageView),
    groups: async (wanted) => (await messages.groups(wanted)).map(messageGroupView),
    find: async ({ uuid }) => {
      const message = await messages.find(uuid, maxDisplayedBytes);
      return message && messageDetailView(message);
    },
  });

  const decide =
    (verb: Verb): DecideItem =>
    async (item, request) => {
      const message = await messages.decide(item.uuid, verbs[verb].to);
      if (!message) return undefined;
      const { topic, reason, state } = message;
      request.auditDetail = { topic, reason, state };
      if (!verbs[verb].done.some((each) => each === state)) throw stateForbids(item, state, verb);
      return state;
    };
  decisionRoutes(
    server,
    { ...rules, decision: messageDecision },
    {
      replay: { description: verbs.replay.description, decide: decide('replay') },
      discard: { description: verbs.discard.description, decide: decide('discard') },
    },
  );

  for (const verb of ['replay', 'discard'] as const) {
    const { description, to } = verbs[verb];
    bulkDecisionRoute(
      server,
      { ...rules, verb },
      {
        description,
        selection: messageSelection,
        decide: async ({ topic, reason }) => ({
          items: await messages.decideAll({ topic, reason }, to),
          expired: 0,
        }),
      },
    );
  }
}

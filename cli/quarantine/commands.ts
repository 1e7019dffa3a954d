import { InvalidArgumentError } from 'commander';
import { quarantineKinds, type QuarantineKind } from '../../shared/contracts/quarantine/items.ts';
import { answer, byHand, command, group, type Call } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, neededOneOf, oneOf, pages, text, type OptionShape } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { count } from '../show/numbers.ts';
import { jobs } from './jobs.ts';
import {
  decidedInWords,
  requireOptions,
  type Answering,
  type Decided,
  type ItemKind,
  type Selection,
  type Verb,
} from './kind.ts';
import { messages } from './messages.ts';
import { steps } from './steps.ts';

const kinds = { message: messages, step: steps, job: jobs } satisfies Record<QuarantineKind, ItemKind>;

const filters = {
  kind: neededOneOf('--kind <kind>', 'which kind of item', quarantineKinds),
  topic: text('--topic <topic>', 'messages of this topic'),
  reason: text('--reason <reason>', 'messages or jobs with this reason, as listed'),
  run: text('--run <run|campaign>', 'steps of this run'),
  action: text('--action <action>', 'steps of this action type'),
  country: text('--country <country>', 'steps in this country'),
  client: text('--client <client>', 'jobs of this client, by id or name'),
  state: oneOf('--state <state>', 'messages or steps in this state', ['kept', 'replaying', 'replayed', 'discarded']),
};

/** Returns a function that executes a request of an item kind within a command, and displays the answer. */
const answeringOf =
  (call: Call<unknown, object>): Answering =>
  (question) =>
    answer(question, { ...call, options: {} });

const list = byHand({
  name: 'list',
  description: 'items of one kind, the newest first',
  options: { ...filters, ...pages(50, 1000) },
  run: ({ options: { kind, limit, cursor, ...given }, ...call }) => {
    requireOptions(kinds[kind], given, kinds[kind].filters);
    const query = { ...given, limit, ...(cursor !== undefined && { cursor }) };
    return kinds[kind].list(query, answeringOf({ ...call, options: {} }));
  },
});

const groups = byHand({
  name: 'groups',
  description: 'items of one kind, counted by reason and by topic, client, or action type and country',
  options: filters,
  run: ({ options: { kind, ...given }, ...call }) => {
    requireOptions(kinds[kind], given, kinds[kind].filters);
    return kinds[kind].groups(given, answeringOf({ ...call, options: {} }));
  },
});

const show = byHand({
  name: 'show',
  args: ['<item>'],
  description: 'one item with its content: bytes, calls and users, or request and answer',
  run: ({ args: [id], ...call }) => kindOf(id).show(id, answeringOf({ ...call, args: [], options: {} })),
});

const selection = {
  kind: oneOf('--kind <kind>', 'several items of this kind; an id needs no kind', ['message', 'job']),
  topic: text('--topic <topic>', 'all messages of this topic'),
  client: text('--client <client>', 'all jobs of this client'),
  reason: text('--reason <reason>', 'all messages or jobs with this reason'),
  all: flag('--all', 'all items of the kind without a decision'),
};

interface Decision {
  data: { id: string; state: string } | (Decided & { kind: 'message' | 'job' });
}

function decisionCommand(verb: Verb, description: string, terms: TermOptions) {
  return command({
    name: verb,
    args: ['[item]'],
    description,
    options: { ...selection, ...terms },
    ask: async ({ client, args: [id], options: { kind, ...given } }): Promise<Decision> => {
      requireOne(id, kind, given);
      if (id !== undefined) {
        const of = kindOf(id);
        requireOptions({ many: `one ${of.one}` }, given, verb === 'replay' && of === jobs ? ['withExpired'] : []);
        return await of.decide(verb, id, given, client);
      }
      if (kind === undefined) throw new UsageError('name the kind: --kind message or --kind job');
      const of: ItemKind = kinds[kind];
      requireOptions(of, given, of.selections[verb]);
      if (!of.decideAll) throw new UsageError(`name one of the ${of.many}`);
      return { data: { kind, ...(await of.decideAll(verb, given, client)).data } };
    },
    refused: verb === 'replay' ? 'not replayed' : 'not discarded',
    render: (decided) =>
      'items' in decided ? decidedInWords(decided, kinds[decided.kind], verb) : `${decided.id} ${decided.state}\n`,
    hint: (decided) =>
      'items' in decided && decided.expired > 0
        ? `${count(decided.expired)} have expired and were left out: --with-expired`
        : [],
  });
}

interface TermOptions {
  perSecond?: OptionShape<number | undefined>;
  withExpired?: OptionShape<true | undefined>;
}

export const heading: Heading = 'Installation';

export const commands = group('quarantine', 'items with repeated failures, quarantined until a person decides', [
  list,
  groups,
  show,
  decisionCommand('replay', 'publish messages, open steps or call jobs again, under the same keys', {
    perSecond: perSecond('--per-second <n>', 'jobs: replays per second; by default all at once'),
    withExpired: flag('--with-expired', 'jobs: include expired jobs'),
  }),
  decisionCommand('discard', 'discard items: they are not published or called again', {}),
]);

/** @throws {UsageError} if the id has the prefix of no kind */
function kindOf(id: string): ItemKind {
  const found = Object.values(kinds).find(({ prefix }) => id.startsWith(prefix));
  if (found) return found;
  throw new UsageError(`${JSON.stringify(id)} is not the id of a message (dlt_…), a step (qst_…) or a job (job_…)`);
}

/** @throws {UsageError} if no item is named, or items are named in more than one way */
function requireOne(id: string | undefined, kind: string | undefined, given: Selection): void {
  const { topic, reason, client, all } = given;
  const isFiltered = topic !== undefined || reason !== undefined || client !== undefined;
  const ways = [id !== undefined, isFiltered, all === true].filter(Boolean).length;
  if (ways !== 1) throw new UsageError('name one item, or --topic, --client, --reason or --all with --kind');
  if (id !== undefined && kind !== undefined) throw new UsageError('an id needs no --kind');
}

function perSecond(flags: string, description: string): OptionShape<number | undefined> {
  const parse = (given: string) => {
    const value = Number(given);
    if (Number.isFinite(value) && value > 0) return value;
    throw new InvalidArgumentError('has to be a number above 0');
  };
  return { flags, description, among: [], parse };
}

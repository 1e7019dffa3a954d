import type { Mutation } from './mutation.ts';

const tests = 'services/api/trials/live-tests';

export const testSendMutations: readonly Mutation[] = [
  {
    takesAway: 'test sends: a test is judged again once it holds the lock of the sums',
    edits: [
      {
        text: 'return clearedTest(connection, test, await judgeBySums(connection, test));',
        replacement: 'return clearedTest(connection, test, first);',
      },
    ],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'test sends: a test under no rule does not wait for the lock of the sums',
    edits: [{ text: 'first.start.rules.length > 0 && first.bySums', replacement: 'first.bySums' }],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'approvals: a live test counts in the sums',
    edits: [
      {
        text: 'if (counts) await countStart(',
        replacement: 'if (counts && users.length === 0) await countStart(',
      },
    ],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'test sends: a user is reached once unless it is stated',
    edits: [
      {
        text: "if (reached.length > 0) return { kind: 'reached', users",
        replacement: "if (reached.length > test.users.length) return { kind: 'reached', users",
      },
    ],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'approvals: tests by an approval reach no more users than it covers',
    edits: [{ text: '[country]: users.length + tested })', replacement: '[country]: users.length })' }],
    project: 'integration',
    noticedBy: [tests],
  },
];

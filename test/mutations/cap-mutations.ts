import type { Mutation } from './mutation.ts';

export const capMutations: readonly Mutation[] = [
  {
    takesAway: 'caps: one transaction at a time reserves effects in a country',
    edits: [
      {
        text: "pg_try_advisory_xact_lock(hashtextextended('caps ' || c.country, 0)) as is_free",
        replacement: 'true as is_free',
      },
    ],
    project: 'integration',
    noticedBy: ['capped-users'],
  },
  {
    takesAway: 'caps: steps of the same call count before their effects are written',
    edits: [
      {
        text: 'g.effects < t.steps + (',
        replacement: 'g.effects < 1 + (',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'caps: a step whose call may have been made keeps its users',
    edits: [
      {
        text: '    if k.may_have_been_called then\n',
        replacement: '    if false then\n',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'caps: an effect is reserved only in steps that may be claimed, and other claims are released',
    edits: [
      {
        text: 'const touched = claimed.filter((claim) => reservations.has(keyOf(claim)) || late.has(keyOf(claim)));',
        replacement:
          'const touched = claimed.filter((claim) => reservations.has(keyOf(claim)) && !late.has(keyOf(claim)));',
      },
    ],
    project: 'integration',
    noticedBy: ['capped-users'],
  },
  {
    takesAway: 'caps: a claim has the users for which effects were reserved',
    edits: [
      {
        text: 'where md5(e.users) = k.digest and e.at',
        replacement: 'where e.at',
      },
    ],
    project: 'integration',
    noticedBy: ['capped-users'],
  },
  {
    takesAway: 'caps: users that certainly were not served lose their effect',
    edits: [
      {
        text: 'if (settled.length > 0) await settleEffects(client, settled, created);',
        replacement: 'if (settled.length > 1e9) await settleEffects(client, settled, created);',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'caps: child batches that continue take over the effects of their users',
    edits: [
      {
        text: 'const heirs = children.filter(({ child }) => child.open || child.claim);\n  await client.query(\n    settleEffects',
        replacement: 'const heirs = children.filter(() => false);\n  await client.query(\n    settleEffects',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'caps: effects of an exempt campaign do not count',
    edits: [
      {
        text: '\n    and (c.exempt is null or e.campaign <> all (c.exempt))',
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['execution-path'],
  },
  {
    takesAway: 'caps: a claim follows the caps that are in force when it is made',
    edits: [{ text: " || ';' || revision\n", replacement: '\n' }],
    project: 'integration',
    noticedBy: ['capped-users'],
  },
  {
    takesAway: 'caps: a step that ended before its claim keeps no effects',
    edits: [
      {
        text: 'if (unclaimed.length > 0) await client.query',
        replacement: 'if (unclaimed.length > 1e9) await client.query',
      },
    ],
    project: 'integration',
    noticedBy: ['capped-users'],
  },
  {
    takesAway: 'caps: effects that are being settled are not read before the settlement ends',
    edits: [{ text: 'if k.own is not null and not is_locked then', replacement: 'if false then' }],
    project: 'integration',
    noticedBy: ['capped-users'],
  },
];

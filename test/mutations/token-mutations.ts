import type { Mutation } from './mutation.ts';

const tokens = 'services/api/access/tokens';
const signIn = 'services/api/access/sign-in';

export const tokenMutations: readonly Mutation[] = [
  {
    takesAway: 'tokens: one that is for another audience is refused',
    edits: [{ text: '      audience: [...audiences],\n', replacement: '' }],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: one that is signed with nothing, or a shared secret, is told so',
    edits: [{ text: '      algorithms,\n', replacement: '' }],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: who has no mapped role has none',
    edits: [
      {
        text: 'const mapped = roles.find(({ value }) => has.has(value));',
        replacement: 'const mapped = roles.find(({ value }) => has.has(value)) ?? roles.at(-1);',
      },
    ],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: a scope that is asked for has to be said',
    edits: [{ text: '  if (!clients && !countries && !actionTypes) return undefined;\n', replacement: '' }],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: nobody waits for an issuer that did not answer',
    edits: [
      {
        text: '    if (failure === undefined) await refresh();\n    else if',
        replacement: '    await refresh();\n    if',
      },
    ],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: unknown keys make us ask twice a minute at most',
    edits: [
      {
        text: 'if (failure !== undefined || clock.monotonicMs() - requestedAtMs < unknownKeyPauseMs) return false;',
        replacement: 'if (failure !== undefined) return false;',
      },
    ],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: the document of another issuer is not believed',
    edits: [
      { text: 'if (!read.ok || read.value.issuer === issuer) return read;', replacement: 'if (read.ok) return read;' },
    ],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: a person that is shut out is refused',
    edits: [
      {
        text: "  if (record.state === 'active') return { ...record,",
        replacement: '  if (record) return { ...record,',
      },
    ],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'tokens: an author has another name by now, and is the author still',
    edits: [{ text: 'return one.key === other.key || one.persons', replacement: 'return one.persons' }],
    project: 'unit',
    noticedBy: ['shared/domain/approval'],
  },
  {
    takesAway: 'AUTH_MODE=oidc takes no keys',
    edits: [{ text: "if (authMethods.mode === 'oidc') refuse(", replacement: 'if (false) refuse(' }],
    project: 'integration',
    noticedBy: [tokens],
  },
  {
    takesAway: 'a sign-in ends in the browser that began it',
    edits: [
      {
        text: 'secrets.map(signInSecretsOf).find((each) => isSameText(each.state, state));',
        replacement: 'secrets.map(signInSecretsOf)[isSameText(state, state) ? 0 : 1];',
      },
    ],
    project: 'integration',
    noticedBy: [signIn],
  },
  {
    takesAway: 'a sign-in takes the ID token that was made for it',
    edits: [{ text: "if (claims['nonce'] !== nonce || (azp", replacement: 'if ((azp' }],
    project: 'integration',
    noticedBy: [signIn],
  },
  {
    takesAway: 'a session of a person may what it was opened for',
    edits: [{ text: 'const own = ownRole === null ? {} : {', replacement: 'const own = ownRole !== null ? {} : {' }],
    project: 'integration',
    noticedBy: [signIn],
  },
  {
    takesAway: 'a token makes no link that outlasts it',
    edits: [{ text: 'if ((request.apiKey?.issuer ?? null) !== null) throw notByToken();', replacement: '' }],
    project: 'integration',
    noticedBy: [tokens],
  },
];

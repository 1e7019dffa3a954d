import { RuleTester } from 'oxlint/plugins-dev';
import { describe, it } from 'vitest';
import house from './house.ts';

RuleTester.describe = describe;
RuleTester.it = it;
const tester = new RuleTester({ languageOptions: { parserOptions: { lang: 'ts' } } });
const of = (name: string) => {
  const rule = house.rules[name];
  if (rule === undefined) throw new Error(`no rule ${name}`);
  return rule;
};
const wide = `// ${'x'.repeat(118)}`;

tester.run('house/plain-comments', of('plain-comments'), {
  valid: [
    '// A process that was killed has released its lease.',
    "const text = 'nobody';",
    '// The role `nobody` may do nothing.',
    `/*\n * | ${'x'.repeat(118)} |\n */`,
    `// oxlint-disable-next-line no-control-regex -- ${'x'.repeat(80)}\nconst nul = /\\x00/;`,
    `const text = '${'x'.repeat(118)}';`,
  ],
  invalid: [
    { code: '// Nobody claims this.', errors: [{ messageId: 'person', data: { word: 'Nobody' } }] },
    { code: '/**\n * Whoever holds the lease.\n */', errors: [{ messageId: 'person' }] },
    { code: wide, errors: [{ messageId: 'wide', data: { length: '121' } }] },
  ],
});

tester.run('house/comment-subjects', of('comment-subjects'), {
  valid: [
    '/** Slots of one client on this dispatcher. */',
    '/** Returns what the lease covers. */',
    '/**\n * Users whose outcome is not known.\n */',
    '// What follows is order-sensitive.',
    '/* of */',
    '/** Office hours. */',
  ],
  invalid: [
    { code: '/** Of those, the first. */', errors: [{ messageId: 'fragment', data: { word: 'Of' } }] },
    { code: '/**\n * What a worker holds.\n */', errors: [{ messageId: 'fragment', data: { word: 'What' } }] },
    { code: 'interface A {\n  /** whether it is open */\n  b: true;\n}', errors: [{ messageId: 'fragment' }] },
  ],
});

tester.run('house/plain-identifiers', of('plain-identifiers'), {
  valid: [
    'const reported = 1; function describe(displayed: string) {}',
    "import { askedBy } from 'contract';",
    'const { askedBy: keyName } = counted;',
    'const body = { anew: true };',
    "const text = 'said';",
    'const wishbone = tasked;',
  ],
  invalid: [
    { code: 'const said = 1;', errors: [{ messageId: 'vague', data: { word: 'said', name: 'said' } }] },
    { code: 'const { askedBy } = counted;', errors: [{ messageId: 'vague' }] },
    { code: 'let [a, toldAtMs] = [1, 2];', errors: [{ messageId: 'vague', data: { word: 'told', name: 'toldAtMs' } }] },
    { code: 'function isTold() {}', errors: [{ messageId: 'vague', data: { word: 'Told', name: 'isTold' } }] },
    { code: 'const f = ({ heard = 1 }) => 2;', errors: [{ messageId: 'vague' }] },
    { code: 'interface SaidBudget {}', errors: [{ messageId: 'vague' }] },
    {
      code: 'interface A { askedMs: number; noted(): void }',
      errors: [{ messageId: 'vague' }, { messageId: 'vague' }],
    },
    { code: 'class A { readonly #shown = 1; anew() {} }', errors: [{ messageId: 'vague' }, { messageId: 'vague' }] },
  ],
});

tester.run('house/test-claims', of('test-claims'), {
  valid: [
    "describe('a recurring campaign', () => {}); it('skips an occurrence that falls into a DST gap', () => {});",
    "it.each([1])('accepts %s', () => {}); describe(`leases ${name}`, () => {});",
    "it('row 9: loses no message of a broker', () => {});",
    "if (pattern.test('of')) go(() => {});",
    "test('of', 'passed');",
  ],
  invalid: [
    {
      code: "it('of a run is shown', () => {});",
      errors: [{ messageId: 'opening', data: { word: 'of' } }],
    },
    { code: "it('rows 1 and 2: that fails, ends', () => {});", errors: [{ messageId: 'opening' }] },
    { code: "it.each([1])('where there is %s', () => {});", errors: [{ messageId: 'opening' }] },
    { code: "it.skip.each`a`('by hand', function () {});", errors: [{ messageId: 'opening' }] },
    { code: 'describe(`what a worker ${name}`, () => {});', errors: [{ messageId: 'opening' }] },
    {
      code: "test('a pause calls nobody', async () => {});",
      errors: [{ messageId: 'riddle', data: { word: 'nobody' } }],
    },
    { code: 'it(`${name} is told`, { timeout: 1 }, () => {});', errors: [{ messageId: 'riddle' }] },
  ],
});

tester.run('house/named-parameters', of('named-parameters'), {
  valid: ["const text = 'select $1, $2, $3, $4';", 'const text = `where a = $4 and b = ${other}`;', '// $5'],
  invalid: [
    { code: "const text = 'select $5';", errors: [{ messageId: 'counted' }] },
    { code: 'const text = `select $12 from ${table}`;', errors: [{ messageId: 'counted' }] },
  ],
});

const column = `${'x'.repeat(110)} as y`;
tester.run('house/narrow-statements', of('narrow-statements'), {
  valid: [
    `const text = \`\n select ${'x'.repeat(100)}\n from t\`;`,
    `const text = \`update ${'x'.repeat(120)}\`;`,
    `const text = \`\n ${'x'.repeat(120)}\n\`;`,
  ],
  invalid: [
    {
      code: `const text = \`\n select ${column}\n from t\`;`,
      errors: [{ messageId: 'wide', data: { length: '123' } }],
    },
  ],
});

tester.run('house/rights-in-access', of('rights-in-access'), {
  valid: [
    "import { isOperatorOfEverything } from '../access/scopes.ts';",
    "if (source.role === 'include') include(source);",
    "const config = { role: 'operator' };",
  ],
  invalid: [
    {
      code: "import { mayActAs } from '../../../shared/domain/roles.ts';",
      errors: [{ messageId: 'judge', data: { name: 'mayActAs' } }],
    },
    { code: "import { isWhole as isAll } from 'scopes';", errors: [{ messageId: 'judge' }] },
    { code: "if (caller.role === 'operator') allow();", errors: [{ messageId: 'compared' }] },
    { code: "if ('manager' !== role) refuse();", errors: [{ messageId: 'compared' }] },
  ],
});

tester.run('house/no-spread-literals', of('no-spread-literals'), {
  valid: [
    'const row = { ...(isPaused && { until }), ...(isHeld ? { why } : {}), ...other };',
    'const list = [...[first, second]];',
  ],
  invalid: [
    {
      code: 'const row = { id, ...{ name, state: 1, ...rest }, until };',
      output: 'const row = { id, name, state: 1, ...rest, until };',
      errors: [{ messageId: 'spread' }],
    },
    {
      code: 'const row = { ...{}, until };',
      output: null,
      errors: [{ messageId: 'spread' }],
    },
    {
      code: 'const row = {\n  ...{ name, },\n};',
      output: 'const row = {\n  name,\n};',
      errors: [{ messageId: 'spread' }],
    },
  ],
});

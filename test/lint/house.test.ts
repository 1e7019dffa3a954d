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

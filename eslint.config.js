import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/**
 * What a comment speaks of is named: a process, a row, a message. "Nobody" and "whoever" are people. And it fits the width
 * that Prettier keeps for code.
 */
const plainComments = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      person: "'{{word}}' is a person: name the process, row or message",
      wide: 'a line of {{length}} columns: comments wrap at 120',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const check = (comment) => {
      const { loc, value } = comment;
      // What stands in backquotes is a name, such as a role.
      const word = /(?<!`)\b(nobody|somebody|whoever|anybody)\b(?!`)/i.exec(value)?.[1];
      if (word !== undefined) context.report({ loc, messageId: 'person', data: { word } });
      for (let line = loc.start.line; line <= loc.end.line; line++) {
        const text = sourceCode.lines[line - 1];
        const { length } = text;
        // A table is as wide as it is, and a directive has to stand on one line.
        if (length > 120 && !/^\s*\* \||eslint-disable/.test(text))
          context.report({ loc, messageId: 'wide', data: { length: String(length) } });
      }
    };
    return { Program: () => sourceCode.getAllComments().forEach(check) };
  },
};

export default tseslint.config(
  {
    ignores: [
      'node_modules/**',
      'coverage/**',
      '*.config.js',
      '.dependency-cruiser.mjs',
      '.ci/**',
      'benchmarks/peers/queues/**',
      'sdk/generated*/**',
      'sdk/dist/**',
      'services/console/after-install.mjs',
      'services/console/dist*/**',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-assertions': [
        'error',
        { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  { files: ['cli/**', 'benchmarks/**'], rules: { 'no-console': 'off' } },
  {
    files: ['services/console/src/**'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs['recommended-latest'].rules,
      // A rejected call of a handler ends in the query cache or in the mutation's own state.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      // The router's own way to go elsewhere is to throw what it made.
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] },
      ],
    },
  },
  {
    files: ['{shared,services,cli,sdk,benchmarks,migrations}/**/*.ts'],
    ignores: ['**/*.test.ts', 'services/console/**'],
    plugins: { house: { rules: { 'plain-comments': plainComments } } },
    rules: { 'house/plain-comments': 'error' },
  },
  {
    files: ['{shared,services,cli}/**/*.ts'],
    ignores: ['**/*.test.ts', 'services/console/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...['TemplateElement[value.raw=', 'Literal[value='].map((text) => ({
          selector: `${text}/\\$([5-9]|[1-9][0-9])/]`,
          message: 'A statement with more than four parameters names them: shared/postgres/connection/statement.ts.',
        })),
      ],
    },
  },
  prettier,
);

import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

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
      'services/console/src/api/generated*/**',
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

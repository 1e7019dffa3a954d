import { definePlugin, defineRule, type Comment, type ESTree, type Ranged } from '@oxlint/plugins';
import { roles } from '../../shared/domain/roles.ts';

/**
 * Requires comments to name their subject: a process, a row, a message. "Nobody" and "whoever" are people. Comments fit
 * the width that Prettier keeps for code.
 */
const plainComments = defineRule({
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
    const check = ({ loc, value }: Comment) => {
      // What stands in backquotes is a name, such as a role.
      const word = /(?<!`)\b(nobody|somebody|whoever|anybody)\b(?!`)/i.exec(value)?.[1];
      if (word !== undefined) context.report({ loc, messageId: 'person', data: { word } });
      for (const text of sourceCode.lines.slice(loc.start.line - 1, loc.end.line)) {
        const { length } = text;
        // A table is as wide as it is, and a directive has to stand on one line.
        if (length > 120 && !/^\s*\* \||oxlint-disable/.test(text))
          context.report({ loc, messageId: 'wide', data: { length: String(length) } });
      }
    };
    return { Program: () => sourceCode.getAllComments().forEach(check) };
  },
});

const fragment = /^\*[\s*]*(of|what|who|whom|whose|that|where|whether|how|as|so|which)\b/i;

/** A doc comment starts with what the thing is or does: a noun, or a verb in the third person. */
const commentSubjects = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { fragment: "'{{word}}' begins a fragment: start with the noun or the verb that names the thing" },
  },
  create(context) {
    const check = ({ type, loc, value }: Comment) => {
      const word = type === 'Block' ? fragment.exec(value)?.[1] : undefined;
      if (word !== undefined) context.report({ loc, messageId: 'fragment', data: { word } });
    };
    return { Program: () => context.sourceCode.getAllComments().forEach(check) };
  },
});

/** `$5` and up in a text: they are miscounted by then. */
const namedParameters = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      counted: 'A statement with more than four parameters names them: shared/postgres/connection/statement.ts.',
    },
  },
  create(context) {
    const check = (node: Ranged, text: string) => {
      if (/\$([5-9]|[1-9][0-9])/.test(text)) context.report({ node, messageId: 'counted' });
    };
    return {
      TemplateElement: (node) => check(node, node.value.raw),
      Literal: (node) => {
        if (typeof node.value === 'string') check(node, node.value);
      },
    };
  },
});

/** Prettier leaves texts as they are, also statements of many lines. */
const narrowStatements = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { wide: 'a line of {{length}} columns: statements wrap at 120' },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      TemplateLiteral: (node) => {
        const { start, end } = node.loc;
        const lines = sourceCode.lines.slice(start.line - 1, end.line);
        if (lines.length === 1 || !/\b(select|insert into|update|delete from|create table)\b/.test(lines.join(' ')))
          return;
        for (const [index, { length }] of lines.entries()) {
          const loc = {
            start: { line: start.line + index, column: 0 },
            end: { line: start.line + index, column: length },
          };
          if (length > 120) context.report({ loc, messageId: 'wide', data: { length: String(length) } });
        }
      },
    };
  },
});

/** Functions that judge roles and scopes; services/api/access names them `rights`, by what they allow. */
const judges = ['mayActAs', 'isWhole', 'requireRole'];
const roleNames: readonly string[] = roles;
const isRoleName = (value: unknown) => typeof value === 'string' && roleNames.includes(value);

/** Roles are compared in services/api/access alone. A check elsewhere compares the role and forgets the scope. */
const rightsInAccess = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      judge: "'{{name}}' judges a caller: services/api/access does so, by a function of rights.ts or scopes.ts",
      compared: 'a role is compared: services/api/access does so, by a function of rights.ts or scopes.ts',
    },
  },
  create(context) {
    return {
      ImportSpecifier: (node) => {
        const { imported } = node;
        const name = imported.type === 'Identifier' ? imported.name : imported.value;
        if (judges.includes(name)) context.report({ node, messageId: 'judge', data: { name } });
      },
      BinaryExpression: (node) => {
        const text = [node.left, node.right].find((side) => side.type === 'Literal' && isRoleName(side.value));
        if (text !== undefined) context.report({ node, messageId: 'compared' });
      },
    };
  },
});

/** `...{ a, b }` in an object literal, which only keeps Prettier from giving each property a line of its own. */
const noSpreadLiterals = defineRule({
  meta: {
    type: 'suggestion',
    fixable: 'code',
    schema: [],
    messages: { spread: 'an object literal is spread into another one: write its properties there' },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      SpreadElement: (node) => {
        const { argument, parent } = node;
        if (argument.type !== 'ObjectExpression' || parent.type !== 'ObjectExpression') return;
        const inner = sourceCode.getText(argument).slice(1, -1).trim().replace(/,$/, '');
        const isEmpty = argument.properties.length === 0;
        context.report({
          node,
          messageId: 'spread',
          fix: (fixer) => (isEmpty ? null : fixer.replaceText(node, inner)),
        });
      },
    };
  },
});

const vagueWords = new Set(['said', 'told', 'untold', 'heard', 'shown', 'noted', 'asked', 'wish', 'surely', 'anew']);

/** Identifiers are nouns and verbs of the field: `reported`, `requestedAtMs`, `notify`. Imported names are not checked. */
const plainIdentifiers = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { vague: "'{{word}}' in '{{name}}' names no fact: choose a noun or verb of the field, such as reported" },
  },
  create(context) {
    const check = (node: Ranged, name: string) => {
      const word = name.match(/[A-Z]?[a-z]+/g)?.find((part) => vagueWords.has(part.toLowerCase()));
      if (word !== undefined) context.report({ node, messageId: 'vague', data: { word, name } });
    };
    const checkKey = (key: ESTree.PropertyKey) => {
      if (key.type === 'Identifier' || key.type === 'PrivateIdentifier') check(key, key.name);
    };
    return {
      Program: () => {
        for (const { variables } of context.sourceCode.scopeManager.scopes) {
          for (const { name, defs } of variables) {
            const [own] = defs.filter(({ type }) => type !== 'ImportBinding');
            if (own) check(own.name, name);
          }
        }
      },
      TSPropertySignature: ({ key }) => checkKey(key),
      TSMethodSignature: ({ key }) => checkKey(key),
      PropertyDefinition: ({ key }) => checkKey(key),
      MethodDefinition: ({ key }) => checkKey(key),
    };
  },
});

/** Prefix of a test of faults: the rows of the table of faults. */
const faultRows = /^rows? \d[^:]*: /;
const openings = /^(?:that|of|by|and|nor|but|whom?|whose|what|where|whether|how|as|so|which|is none)\b/i;
const riddles = /\b(?:nobody|somebody|everybody|anybody|whoever|whom|told|untold|said|heard|anew|surely)\b/i;

/** A test name is a claim: it begins with its verb or subject, and names the user, worker or request it is about. */
const testClaims = defineRule({
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opening: "a test name that begins with '{{word}}' is a fragment: begin with its subject or its verb",
      riddle: "'{{word}}' in a test name: name the user, the process or what is reported",
    },
  },
  create(context) {
    return {
      CallExpression: ({ callee, arguments: [name, ...rest] }) => {
        const isBlock = rest.some(({ type }) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression');
        if (name === undefined || !isBlock || !testFunctions.has(rootOf(callee))) return;
        const text = textOf(name).replace(faultRows, '');
        const opening = openings.exec(text)?.[0];
        if (opening !== undefined) context.report({ node: name, messageId: 'opening', data: { word: opening } });
        const riddle = riddles.exec(text)?.[0];
        if (riddle !== undefined) context.report({ node: name, messageId: 'riddle', data: { word: riddle } });
      },
    };
  },
});

const testFunctions = new Set(['describe', 'it', 'test']);

/** Returns `it` for `it`, `it.each(rows)` and `it.skip`. */
function rootOf(callee: ESTree.Expression): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'CallExpression') return rootOf(callee.callee);
  if (callee.type === 'TaggedTemplateExpression') return rootOf(callee.tag);
  return callee.type === 'MemberExpression' ? rootOf(callee.object) : '';
}

function textOf(name: ESTree.Argument): string {
  if (name.type === 'Literal') return typeof name.value === 'string' ? name.value : '';
  return name.type === 'TemplateLiteral' ? name.quasis.map(({ value }) => value.cooked ?? '').join('…') : '';
}

export default definePlugin({
  meta: { name: 'house' },
  rules: {
    'plain-comments': plainComments,
    'comment-subjects': commentSubjects,
    'plain-identifiers': plainIdentifiers,
    'test-claims': testClaims,
    'named-parameters': namedParameters,
    'narrow-statements': narrowStatements,
    'rights-in-access': rightsInAccess,
    'no-spread-literals': noSpreadLiterals,
  },
});
